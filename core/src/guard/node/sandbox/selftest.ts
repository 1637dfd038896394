import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { startProgram } from "../../../base/node/start-program.js";
import { Watchdog } from "../../../base/node/orphan-watchdog.js";
import { claudeSandbox } from "../../../agents/registry/sandbox-needs.js";
import { Json } from "../../../base/rpc/json.js";
import { Outcome, Request } from "../../../base/rpc/message.js";
import { nothingToCancel, type Peer } from "../../../base/rpc/peer.js";
import { type Escape, type EscapeResult, judgeEscape } from "../../sandbox/selftest/escape.js";
import { fileEscapes } from "../../sandbox/selftest/file-escapes.js";
import { processEscapes } from "../../sandbox/selftest/process-escapes.js";
import { sandboxProxy } from "../../sandbox/sandbox-proxy.js";
import { userRegistries } from "../network/user-registries.js";
import { placeOf } from "./machine-paths.js";
import { refusedRoot } from "./sandbox-paths.js";
import { SelftestStage } from "./selftest-stage.js";
import { systemSandbox } from "./agent-sandbox.js";
import type { SandboxMaker } from "./probe.js";

export interface SelftestRow extends Pick<Escape, "row" | "what" | "expected"> {
  readonly result: EscapeResult;
  /** Last output of the attempt, for debugging. */
  readonly detail: string;
}

/** Program that runs the given scripts one after the other, each for at most 10 s. */
const driver = `
const { spawnSync } = require("node:child_process");
const { existsSync, readdirSync, readlinkSync } = require("node:fs");
const leads = (fd) => { try { return readlinkSync("/proc/self/fd/" + fd); } catch { return ""; } };
// Node's own are pipes and nameless; a socket or a file was there before it. Elsewhere than on Linux it cannot be told.
process.env.INHERITED = (existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd") : []).filter((fd) => fd > 2).map(leads).filter((to) => to.startsWith("socket:") || /^[/](?!dev[/]|proc[/])/.test(to)).join(" ");
for (const { row, script, needs } of JSON.parse(process.argv[1])) {
  const has = !needs || spawnSync("/bin/sh", ["-c", needs]).status === 0;
  const ran = has ? spawnSync("/bin/sh", ["-c", script], { timeout: 10000, encoding: "utf8", cwd: process.env.PROJECT }) : undefined;
  const said = ran ? ran.stdout + ran.stderr : "";
  process.stdout.write(JSON.stringify({ row, status: ran ? ran.status : "missing", said: said.slice(-100000) }) + "\\n");
}
`;

interface Attempt {
  readonly row: string;
  readonly status: number | null | "missing";
  readonly said: string;
}

export function isAsExpected({ expected, result }: SelftestRow): boolean {
  return expected === "listed" || !["open", "broken"].includes(result);
}

/** Runs every known escape attempt in an agent's sandbox, against test files and sockets. */
export async function selftest(maker: SandboxMaker): Promise<readonly SelftestRow[]> {
  await using stage = await SelftestStage.open();
  const escapes = [...fileEscapes, ...processEscapes];
  const said = await runInside(maker, stage, escapes);
  const attempts = new Map(
    said
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Attempt)
      .map((attempt) => [attempt.row, attempt]),
  );
  const rows: SelftestRow[] = [];
  for (const escape of escapes) {
    const { row, what, expected, leaves } = escape;
    const attempt = attempts.get(row);
    const hasLeft = (attempt?.said.includes("selftest-secret") ?? false) || (leaves ? await stage.has(leaves) : false);
    const detail = attempt?.said.trim().split("\n").at(-1)?.slice(0, 200) ?? said.trim().slice(0, 400);
    const isTried = attempt !== undefined && attempt.status !== "missing";
    const result = isTried ? judgeEscape(escape, { succeeded: attempt.status === 0, hasLeft }) : untried(attempt);
    rows.push({ row, what, expected, result, detail });
  }
  return [...rows, ...rootRows(stage), ...editorRows(stage), await registriesRow(stage)];
}

function untried(attempt: Attempt | undefined): EscapeResult {
  return attempt === undefined ? "broken" : "not tried";
}

async function runInside(maker: SandboxMaker, stage: SelftestStage, escapes: readonly Escape[]): Promise<string> {
  const subject = {
    ...{ id: "claude-code", needs: { ...claudeSandbox, state: [{ folder: ".claude" }] }, roots: [stage.project] },
    ...{ ownPrograms: [process.execPath], configFolder: stage.configFolder, home: stage.home },
  };
  using watchdog = new Watchdog();
  const attempts = JSON.stringify(escapes.map(({ row, script, needs }) => ({ row, script, needs })));
  const started = startProgram(
    { command: process.execPath, args: ["-e", driver, attempts], env: { ...stage.env }, cwd: stage.project },
    {
      // Include variables that every user process may have but that no agent should get.
      env: {
        ...process.env,
        PATH: `/usr/bin:/bin:${process.env["PATH"] ?? ""}`,
        AWS_SECRET_ACCESS_KEY: "selftest-secret",
        SSH_AUTH_SOCK: stage.env["SOCKET"],
      },
      watchdog,
      confined: systemSandbox(maker, { subject: () => subject }),
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  if ("startError" in started) return started.startError;
  const { child } = started;
  const exited = once(child, "exit").catch((error: unknown) => messageOf(error));
  const read = async (stream: NodeJS.ReadableStream | null): Promise<string> => (stream ? text(stream) : "");
  const [output, errors] = await Promise.all([read(child.stdout), read(child.stderr)]);
  await exited;
  if (child.pid !== undefined) watchdog.remove(child.pid);
  return `${output}\n${errors}`;
}

/**
 * Tests the package managers that run outside the sandbox when an agent connects to a host. Their environment points to project files in
 * this test.
 */
async function registriesRow({ project, home }: SelftestStage): Promise<SelftestRow> {
  const folder = join(project, "planted");
  const mark = join(folder, "ran");
  mkdirSync(folder);
  writeFileSync(join(folder, "sitecustomize.py"), `open(${JSON.stringify(mark)}, "w")\n`);
  writeFileSync(join(folder, "start.cjs"), `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "");\n`);
  const planted = { PYTHONPATH: folder, NODE_OPTIONS: `--require=${join(folder, "start.cjs")}` };
  const found = await userRegistries({ ...process.env, ...planted, HOME: home }, [project]);
  return {
    ...{
      row: "99",
      what: "run a project file through a package manager that is asked for its registries",
      expected: "refused",
    },
    ...{ result: existsSync(mark) ? "open" : "refused", detail: `${found.length} registries` },
  };
}

/**
 * Tests files that the editor would read or write for the agent, at the agent's own request (71, 72) or through Symposium's MCP tools (71b,
 * 72b).
 */
function editorRows({ project, home }: SelftestStage): readonly SelftestRow[] {
  const { agentRequests = {}, refuseFile } = sandboxProxy({
    agent: () => ({
      workspaceRoots: [project],
      canRestart: false,
      restart: () => Promise.resolve(),
      settle: () => undefined,
    }),
    ...{ refusedRoot: () => undefined, isCovered: () => true, placeOf, opened: () => undefined },
  }).connect({ client: editor, successor: editor, logger: Logger.silent });
  const attempts = [
    { row: "71", file: join(home, ".bashrc"), isWritten: true },
    { row: "71", file: join(project, ".git/hooks/pre-commit"), isWritten: true },
    { row: "72", file: join(home, ".ssh/id_ed25519"), isWritten: false },
  ];
  return attempts.flatMap(({ row, file, isWritten }) => {
    const method = isWritten ? "fs/write_text_file" : "fs/read_text_file";
    let outcome: Outcome | undefined;
    agentRequests[method]?.(Request.of(method, { path: file }), (answer) => (outcome = answer));
    const what = `${isWritten ? "write" : "read"} ${file.replace(home, "~").replace(project, "project")} by the editor`;
    return [
      editorRow(row, what, outcome?.isError === true ? outcome.json.text : undefined),
      editorRow(`${row}b`, `${what}, asked by an MCP tool`, refuseFile?.(file, isWritten)),
    ];
  });
}

const editor: Peer = {
  request: (_request, reply) => {
    reply(Outcome.result(Json.of({ content: "selftest-secret" })));
    return nothingToCancel;
  },
  notify: () => undefined,
};

function editorRow(row: string, what: string, refusal: string | undefined): SelftestRow {
  return { row, what, expected: "refused", result: refusal === undefined ? "open" : "refused", detail: refusal ?? "" };
}

function rootRows(stage: SelftestStage): readonly SelftestRow[] {
  return ["/", stage.home, `${stage.home}/..`, stage.configFolder, `${stage.home}/.ssh`].map((root) => {
    const refusal = refusedRoot(root, stage.configFolder, stage.home);
    return {
      ...{ row: "74", what: `a session in ${root.replace(stage.home, "~")}`, expected: "refused" },
      ...{ result: refusal === undefined ? "open" : "refused", detail: refusal ?? "" },
    };
  });
}
