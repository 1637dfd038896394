import assert from "node:assert/strict";
import { bubblewrapArguments } from "../../../src/guard/sandbox/bubblewrap-arguments.js";
import { cleanEnvironment } from "../../../src/guard/sandbox/clean-environment.js";
import { sandboxMounts } from "../../../src/guard/sandbox/sandbox-plan.js";

const home = "/home/user";

describe("the plan of a sandbox", () => {
  const mounts = sandboxMounts({
    home,
    privateHome: `${home}/.symposium/guard/home/codex`,
    system: ["/usr", { path: "/bin", target: "usr/bin" }],
    secrets: ["/etc/shadow"],
    programs: [`${home}/.local/bin`, `${home}/.local/bin/inner`],
    state: [`${home}/.codex`],
    roots: ["/work/app", "/work/app/nested"],
    runsLater: ["/work/app/.git/hooks", "/work/app/.git/modules/x/config", `${home}/.codex/config.toml`],
    hidden: [`${home}/.symposium`, "/work/app/config"],
  });

  it("has the system below, the private folder, programs, what may be written, and what of that may only be read above", () => {
    assert.deepEqual(
      mounts.map(({ kind, path }) => `${kind} ${path}`),
      [
        "readable /usr",
        "link /bin",
        "masked /etc/shadow",
        "empty /tmp",
        "empty /run",
        "empty /var/tmp",
        "writable /home/user",
        "readable /home/user/.local/bin",
        "writable /work/app",
        "writable /home/user/.codex",
        "writable /work/app/nested",
        // Without these, `.git` could be renamed, and another one made in its place.
        "writable /work/app/.git",
        "writable /work/app/.git/modules",
        "writable /work/app/.git/modules/x",
        "readable /home/user/.codex/config.toml",
        "readable /work/app/.git/hooks",
        "readable /work/app/.git/modules/x/config",
        "empty /work/app/config",
        // Once more, where no other sandbox of the same private folder reaches.
        "writable /run/symposium/0",
        "readable /run/symposium/0/config.toml",
      ],
    );
  });

  it("keeps a hidden folder from being renamed with the folder that it lies in", () => {
    const paths = { home, privateHome: "/private", system: [], secrets: [], programs: [], state: [], runsLater: [] };
    const hidden = "/work/dotfiles/symposium";
    const plan = sandboxMounts({ ...paths, roots: ["/work"], hidden: [hidden], given: [`${hidden}/policy`] });
    assert.deepEqual(
      plan.slice(-4).map(({ kind, path }) => `${kind} ${path}`),
      // A file that is given lies above it.
      ["writable /work", "writable /work/dotfiles", `empty ${hidden}`, `readable ${hidden}/policy`],
    );
  });

  it("becomes the arguments of bubblewrap", () => {
    const plan = { mounts: mounts.slice(0, 7), env: {}, cwd: "/work/app" };
    assert.deepEqual(bubblewrapArguments(plan, { filterDescriptor: 3, command: ["agent", "--acp"] }), [
      ...["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
      ...["--disable-userns", "--cap-drop", "ALL", "--die-with-parent"],
      ...["--proc", "/proc", "--dev", "/dev"],
      ...["--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--ro-bind", "/dev/null", "/etc/shadow"],
      ...["--perms", "0700", "--tmpfs", "/tmp", "--perms", "0700", "--tmpfs", "/run", "--perms", "0700"],
      ...["--tmpfs", "/var/tmp", "--bind", `${home}/.symposium/guard/home/codex`, home, "--remount-ro", "/"],
      ...["--seccomp", "3", "--chdir", "/work/app", "--", "agent", "--acp"],
    ]);
  });

  it("has an environment without keys, sockets and what is meant for others", () => {
    const env = { PATH: "/usr/bin", LC_ALL: "C", AWS_SECRET_ACCESS_KEY: "s", SSH_AUTH_SOCK: "/x", CODEX_HOME: "/c" };
    assert.deepEqual(cleanEnvironment(env, [/^CODEX_/], { OWN: "given" }), {
      ...{ PATH: "/usr/bin", LC_ALL: "C", CODEX_HOME: "/c", OWN: "given", TMPDIR: "/tmp" },
    });
  });
});
