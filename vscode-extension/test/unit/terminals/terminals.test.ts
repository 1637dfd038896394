import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProcessTable, Watchdog } from "@symposium-dev/core/node";
import * as z from "zod/mini";
import { OutputLogs } from "../../../src/features/terminals/output-logs.js";
import { Terminals } from "../../../src/features/terminals/terminals.js";
import { PermissionFixture, pressed } from "../permissions/permission-fixture.js";
import { RecordingSession } from "../permissions/recording-session.js";

const created = z.object({ terminalId: z.string() });
const node = process.execPath;

async function isAlive(pid: number): Promise<boolean> {
  return (await readProcessTable()).some((entry) => entry.pid === pid);
}

describe("terminals", function () {
  this.timeout(60_000);
  let folder: string;
  let session: RecordingSession;
  let fixture: PermissionFixture;
  let logs: OutputLogs;
  let watchdog: Watchdog;
  let terminals: Terminals;
  const ran: boolean[] = [];

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "terminals-")));
    session = new RecordingSession([folder]);
    fixture = new PermissionFixture();
    logs = new OutputLogs(join(folder, "logs"), 1_000);
    watchdog = new Watchdog();
    const { permissions } = fixture;
    terminals = new Terminals({
      permissions,
      logs,
      watchdog,
      env: () => ({ ...process.env, INHERITED: "1" }),
      ran: (_session, _id, isOver) => ran.push(isOver),
    });
  });
  afterEach(async () => {
    await terminals[Symbol.asyncDispose]();
    await logs[Symbol.asyncDispose]();
    watchdog[Symbol.dispose]();
    await rm(folder, { recursive: true });
  });

  const start = async (params: unknown): Promise<string> =>
    created.parse(await terminals.requests["terminal/create"](session.call(params))).terminalId;
  const call = (method: keyof Terminals["requests"], terminalId: string, signal?: AbortSignal): Promise<unknown> =>
    terminals.requests[method](session.call({ terminalId }, signal));
  const shown = (terminalId: string): string => session.transcript.terminals.get(terminalId)?.text ?? "";
  const pidShownBy = (terminalId: string): Promise<number> =>
    session.until(() => Number(/^(\d+)\n/.exec(shown(terminalId))?.[1] ?? undefined) || undefined);

  it("runs a program with its arguments, environment and folder", async () => {
    const script = "console.log(process.argv[1], process.env.ADDED, process.env.INHERITED, process.cwd())";
    const id = await start({ command: node, args: ["-e", script, "a b"], env: [{ name: "ADDED", value: "2" }] });
    assert.deepEqual(await call("terminal/wait_for_exit", id), { exitCode: 0, signal: null });
    assert.deepEqual(await call("terminal/output", id), {
      output: `a b 2 1 ${folder}\n`,
      truncated: false,
      exitStatus: { exitCode: 0, signal: null },
    });
  });

  it("tells when a command begins and when it is over, also of one that cannot begin", async () => {
    ran.length = 0;
    await call("terminal/wait_for_exit", await start({ command: node, args: ["-e", ""] }));
    assert.deepEqual(ran, [false, true]);
    await assert.rejects(start({ command: join(folder, "missing"), args: ["x"] }));
    assert.deepEqual(ran, [false, true, false, true]);
  });

  it("gives a command without arguments to the shell", async () => {
    const id = await start({ command: "echo one && echo two >&2 && exit 3" });
    assert.deepEqual(await call("terminal/wait_for_exit", id), { exitCode: 3, signal: null });
    const output: unknown = await call("terminal/output", id);
    assert.deepEqual(output, { output: "one\ntwo\n", truncated: false, exitStatus: { exitCode: 3, signal: null } });
  });

  it("shows output while the command runs, and its exit", async () => {
    const id = await start({ command: "echo early; read x" });
    await call("terminal/wait_for_exit", id);
    assert.deepEqual(session.transcript.terminals.get(id), {
      terminalId: id,
      text: "early\n",
      dropped: 0,
      exit: { code: 1, signal: null },
    });
  });

  it("keeps the end of the output up to the agent's limit, in whole characters", async () => {
    const id = await start({ command: "printf 'aäöü'", outputByteLimit: 5 });
    await call("terminal/wait_for_exit", id);
    assert.deepEqual(await call("terminal/output", id), {
      output: "öü",
      truncated: true,
      exitStatus: { exitCode: 0, signal: null },
    });
  });

  it("kills a command with all it started, and keeps its output", async () => {
    const id = await start({ command: `${node} -e 'console.log(process.pid); setInterval(() => {}, 1000)' & wait` });
    const pid = await pidShownBy(id);
    assert.deepEqual(await call("terminal/kill", id), {});
    assert.equal(await isAlive(pid), false);
    assert.deepEqual(await call("terminal/output", id), {
      output: `${pid}\n`,
      truncated: false,
      exitStatus: { exitCode: null, signal: "SIGTERM" },
    });
  });

  it("ends a command that ignores the request to", async () => {
    const id = await start({ command: "trap '' TERM; echo $$; while :; do sleep 1; done" });
    const pid = await pidShownBy(id);
    await terminals.kill(id);
    assert.equal(await isAlive(pid), false);
  });

  it("forgets a released terminal and ends its command", async () => {
    const id = await start({ command: "echo $$; exec sleep 600" });
    const pid = await pidShownBy(id);
    assert.deepEqual(await call("terminal/release", id), {});
    assert.equal(await isAlive(pid), false);
    await assert.rejects(call("terminal/output", id), { message: `There is no terminal "${id}"; was it released?` });
    assert.equal(shown(id), `${pid}\n`);
  });

  it("ends the commands of a session with it, those it left in the background too", async () => {
    const id = await start({ command: "sleep 600 & echo $!" });
    const pid = await pidShownBy(id);
    await call("terminal/wait_for_exit", id);
    terminals.sessionEnded("session-1");
    await terminals[Symbol.asyncDispose]();
    assert.equal(await isAlive(pid), false);
  });

  it("stops waiting when the agent gives the request up", async () => {
    const id = await start({ command: "sleep 600" });
    const controller = new AbortController();
    const waiting = call("terminal/wait_for_exit", id, controller.signal);
    controller.abort();
    await assert.rejects(waiting, { message: "Request cancelled" });
  });

  it("knows a terminal only in its own session", async () => {
    const id = await start({ command: "true" });
    const other = new RecordingSession([folder], "session-2");
    await assert.rejects(terminals.requests["terminal/output"](other.call({ terminalId: id })), {
      message: `There is no terminal "${id}"; was it released?`,
    });
  });

  it("says which program cannot be started and where", async () => {
    await assert.rejects(start({ command: "no-such-program", args: ["x"] }), (error: Error) =>
      error.message.startsWith(`"no-such-program" could not be started in ${folder}: `),
    );
  });

  it("asks before it runs a command outside the workspace", async () => {
    const refused = start({ command: "ls", cwd: tmpdir() });
    const { id, title, warnings } = await session.openCard();
    assert.deepEqual(
      [title, warnings],
      ["Run ls", [`The command runs in ${tmpdir()}, which is outside the workspace.`]],
    );
    await fixture.permissions.respond(pressed(id, "reject"));
    await assert.rejects(refused, (error: Error) =>
      error.message.startsWith("The user didn't allow the agent to run a command"),
    );
  });

  it("writes the whole output to a log, up to a limit that the log names", async () => {
    const id = await start({ command: `${node} -e "console.log('x'.repeat(2000)); console.log('end')"` });
    await call("terminal/wait_for_exit", id);
    const path = await logs.fileOf(id);
    assert.ok(path);
    assert.match(
      await readFile(path, "utf8"),
      /^x{2000}\n(end\n)?\n\[The log ends here: it reached its limit of 1000 characters\.\]\n$/,
    );
    await logs[Symbol.asyncDispose]();
    assert.deepEqual(await readdir(folder), []);
  });

  it("passes a flood on by its end only, and settles", async () => {
    const id = await start({ command: `${node} -e "process.stdout.write('0123456789abcde\\n'.repeat(1e6))"` });
    await call("terminal/wait_for_exit", id);
    const terminal = session.transcript.terminals.get(id);
    assert.ok(terminal);
    const { text, dropped } = terminal;
    const sent = session.changes.reduce((sum, change) => sum + (change.op === "terminal" ? change.text.length : 0), 0);
    assert.deepEqual([text.length + dropped, text.endsWith("abcde\n"), sent <= 16e6], [16e6, true, true]);
  });
});
