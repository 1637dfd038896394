import assert from "node:assert/strict";
import type { ProcessExit } from "../../../../src/base/component-process.js";
import { productVersion } from "../../../../src/base/node/product-version.js";
import { askRemoteHost, type RemoteHost, remoteProcess } from "../../../../src/sessions/host/node/remote-process.js";

/** A machine whose bridge is played by a shell script. */
function machine(script: string): RemoteHost {
  return {
    name: "ssh:build",
    command: { command: "sh", args: ["-c", `say() { printf '\\000%s\\n' "$1"; }\n${script}`], env: {} },
    maxLineBytes: 1024 * 1024,
  };
}

const meet = `echo Welcome; say '{"kind":"bridge","version":"${productVersion}"}'; read -r request`;

interface Talk {
  readonly lines: readonly string[];
  readonly exit: ProcessExit;
}

async function talk(remote: RemoteHost, sent: readonly string[] = []): Promise<Talk> {
  const lines: string[] = [];
  const process = remoteProcess(remote, "project")(
    "test",
    { command: "", args: ["run"], env: {} },
    {
      line: (line) => lines.push(line),
      oversize: () => lines.push("oversize"),
      stalled: () => undefined,
      end: () => undefined,
    },
  );
  for (const line of sent) process.send(line);
  return { lines, exit: await process.exited };
}

describe("a conductor on another machine", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  it("gets lines when the host is ready, and passes its own", async () => {
    const script = `${meet}; say '{"kind":"ready"}'; read -r line; echo "$request"; echo "$line"`;
    const { lines, exit } = await talk(machine(`${script}; say '{"kind":"exit","code":3,"reason":"over"}'`), ["{}"]);
    assert.deepEqual(lines, [`{"kind":"client","words":["run"],"folder":"project"}`, "{}"]);
    assert.deepEqual([exit.code, exit.startError, exit.stderrTail], [3, undefined, "over"]);
  });

  it("meets the bridge behind text of a login script that has no line end", async () => {
    const { lines, exit } = await talk(machine(`printf 'Welcome! '; ${meet}; echo "$request"`));
    assert.deepEqual(lines, [`{"kind":"client","words":["run"],"folder":"project"}`]);
    assert.equal(exit.startError, undefined);
  });

  it("is refused in another version", async () => {
    const { exit } = await talk(machine(`say '{"kind":"bridge","version":"0.0.1"}'; cat`));
    assert.equal(
      exit.startError,
      `ssh:build has symposium-acp-agent 0.0.1, but this machine has ${productVersion}. Install the same version on both.`,
    );
  });

  it("says what to install if the command isn't there", async () => {
    const { exit } = await talk(machine("echo 'sh: symposium-acp-agent: not found' >&2; exit 127"));
    assert.match(exit.startError ?? "", /^symposium-acp-agent isn't installed on ssh:build\. Install it there: npm /);
  });

  it("says that the machine can't be reached, with the client's own words", async () => {
    const { exit } = await talk(machine("echo 'Permission denied (publickey).' >&2; exit 255"));
    assert.equal(
      exit.startError,
      "sh can't reach symposium-acp-agent on ssh:build (exit code 255).\nPermission denied (publickey).",
    );
    const { exit: absent } = await talk({ ...machine(""), command: { command: "no-such-ssh", args: [], env: {} } });
    assert.equal(absent.startError, "no-such-ssh isn't installed on this machine. --on ssh:build needs it.");
  });

  it("says that its sessions continue if the connection ends", async () => {
    const { exit } = await talk(machine(`${meet}; say '{"kind":"ready"}'; echo 'Connection reset' >&2; exit 255`));
    assert.match(
      exit.stderrTail,
      /^Connection reset\nThe connection to ssh:build ended; its sessions continue there\./,
    );
    assert.equal(exit.code, 1);
  });

  it("has the machine's host stop a session", async () => {
    const stop = { kind: "stop-session", sessionId: "s", cwd: "/w" } as const;
    assert.deepEqual(JSON.parse(await askRemoteHost(machine(`${meet}; echo "$request"`), stop)), stop);
  });

  it("tells the status of its host", async () => {
    assert.equal(await askRemoteHost(machine(`${meet}; echo '{"sessions":[]}'`)), `{"sessions":[]}`);
    await assert.rejects(askRemoteHost(machine("exit 255")), { code: "host-failed" });
  });
});
