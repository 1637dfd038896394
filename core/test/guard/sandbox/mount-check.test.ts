import assert from "node:assert/strict";
import {
  expectedMounts,
  isMounted,
  misplacedMount,
  mountPoints,
  placeInMount,
} from "../../../src/guard/sandbox/mount-check.js";
import { sandboxMounts } from "../../../src/guard/sandbox/sandbox-plan.js";

const paths = {
  ...{ home: "/home/u", privateHome: "/home/u/.symposium/guard/home/x", system: ["/usr"], secrets: [], programs: [] },
  ...{ state: ["/home/u/.claude"], roots: ["/src/my app"], hidden: [] },
  runsLater: ["/src/my app/.git/hooks", "/src/my app/.gemini/settings.json", "/home/u/.claude/settings.json"],
};
const expected = expectedMounts(sandboxMounts(paths), [...paths.roots, ...paths.state]);

/** Returns the kernel's `mountinfo` of the sandbox. `others` replaces roots by mount point; an empty root removes the mount. */
function mountinfo(others: Readonly<Record<string, string>> = {}): string {
  const roots: Readonly<Record<string, string>> = {
    "/": "/newroot",
    "/src/my app": "/disk/my app",
    "/src/my app/.git": "/disk/my app/.git",
    "/src/my app/.git/hooks": "/disk/my app/.git/hooks",
    "/src/my app/.gemini": "/disk/my app/.gemini",
    "/src/my app/.gemini/settings.json": "/disk/my app/.gemini/settings.json",
    "/home/u": "/home/u/.symposium/guard/home/x",
    "/home/u/.claude": "/home/u/.claude",
    "/home/u/.claude/settings.json": "/home/u/.claude/settings.json",
    "/run/symposium/0": "/home/u/.claude",
    "/run/symposium/0/settings.json": "/home/u/.claude/settings.json",
    ...others,
  };
  const lines = Object.entries(roots).filter(([, root]) => root !== "");
  return lines
    .map(([path, root], at) => `${at + 60} 1 8:1 ${root} ${path} rw - ext4 x rw`.replaceAll("my app", "my\\040app"))
    .join("\n");
}

describe("the look at the mounts of a sandbox before its program starts", () => {
  it("is at what other sandboxes could have led elsewhere, in workspaces and the agent's own folders", () => {
    assert.deepEqual(
      expected.map(({ path }) => path),
      [
        ...["/src/my app/.gemini", "/src/my app/.git", "/home/u/.claude/settings.json"],
        ...["/src/my app/.gemini/settings.json", "/src/my app/.git/hooks"],
        ...["/run/symposium/0", "/run/symposium/0/settings.json"],
      ],
    );
  });

  it("waits until all of them have been made", () => {
    assert.equal(isMounted(mountinfo()), true);
    assert.equal(isMounted(mountinfo({ "/": "/" })), false);
    assert.deepEqual(mountPoints(mountinfo()).slice(0, 2), ["/", "/src/my app"]);
  });

  it("finds nothing where each is what it should be, also where a file has been replaced by a rename meanwhile", () => {
    assert.equal(misplacedMount(mountinfo(), expected), undefined);
    const replaced = { "/src/my app/.gemini/settings.json": "/disk/my app/.gemini/settings.json//deleted" };
    assert.equal(misplacedMount(mountinfo(replaced), expected), undefined);
  });

  it("finds the same on NFS, whose lines have the path in the name of the file system alone", () => {
    const remote = (text: string): string =>
      text.replace(/8:1 (\/disk\S*) (\S+) rw - ext4 x /gm, "0:47 / $2 rw shared:1 - nfs4 server:$1 ");
    assert.equal(misplacedMount(remote(mountinfo()), expected), undefined);
    const top = remote(mountinfo()).replaceAll("server:/disk/my\\040app ", "server:/ ");
    assert.equal(misplacedMount(top.replaceAll("server:/disk/my\\040app", "server:"), expected), undefined);
    const led = mountinfo({ "/src/my app/.gemini": "/disk/.ssh" });
    assert.equal(misplacedMount(remote(led), expected), "/src/my app/.gemini");
  });

  it("finds what lies elsewhere, by any of its names, and what is not there", () => {
    for (const [path, root] of [
      ["/src/my app/.gemini", "/home/u/.ssh"],
      ["/src/my app/.gemini", ""],
      ["/src/my app/.gemini/settings.json", "/home/u/.ssh/settings.json"],
      ["/home/u/.claude/settings.json", "/home/u/.claude/other.json"],
      ["/run/symposium/0", "/home/u/.ssh"],
      ["/run/symposium/0/settings.json", ""],
    ] as const) {
      assert.equal(misplacedMount(mountinfo({ [path]: root }), expected), path, root);
    }
    const elsewhere = mountinfo().replace(/8:1 (\S+\.gemini) /, "8:2 $1 ");
    assert.equal(misplacedMount(elsewhere, expected), "/src/my app/.gemini");
  });

  it("finds a workspace itself elsewhere than it was before, whatever mount it is reached by", () => {
    const machine = [
      "20 1 8:1 / / rw - ext4 x rw",
      "21 20 8:1 /disk /src rw - ext4 x rw",
      "22 20 8:1 / /src/b rw - ext4 x rw",
    ];
    const roots = ["/src/my app"].flatMap((path) => placeInMount(machine.join("\n"), "21", path) ?? []);
    assert.deepEqual(roots, [{ path: "/src/my app", disk: "8:1", place: "x/disk/my app" }]);
    assert.deepEqual(placeInMount(machine.join("\n"), "20", "/a")?.place, "x/a");
    assert.deepEqual(placeInMount(machine.join("\n"), "22", "/src/b")?.place, "x");
    assert.deepEqual(
      ["23", "22"].map((id) => placeInMount(machine.join("\n"), id, "/src/my app")),
      [undefined, undefined],
    );
    assert.equal(misplacedMount(mountinfo(), expected, roots), undefined);
    const below = `59 1 0:9 / /src/my\\040app rw - tmpfs tmpfs rw\n${mountinfo()}`;
    assert.equal(misplacedMount(below, [], roots), undefined);
    assert.equal(misplacedMount(mountinfo({ "/src/my app": "/home/u/.ssh" }), [], roots), "/src/my app");
    assert.equal(misplacedMount(mountinfo({ "/src/my app": "" }), [], roots), "/src/my app");
    assert.equal(misplacedMount(mountinfo().replaceAll("8:1", "8:2"), [], roots), "/src/my app");
  });
});
