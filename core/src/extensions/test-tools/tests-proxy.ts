import { argumentsSchema, flagSchema, integerSchema, textSchema } from "../../base/mcp/tool-schema.js";
import type { Proxy, ProxySession } from "../../conductor/chain/proxy.js";
import { type Tool, ToolServer } from "../../base/mcp/tool-server.js";
import { asObject } from "../../base/rpc/json.js";
import type { Peer } from "../../base/rpc/peer.js";
import { RunQueue, type RunSession } from "../../base/runs/run.js";
import type { FolderTrust } from "../../settings/trust/folder-trust.js";
import { ProjectRuns, type TestServices } from "./project-runs.js";
import { TerminalTestReports } from "./terminal-test-reports.js";
import type { TestRuns } from "./test-runs.js";

const name = "tests";
const defaultTimeoutMs = 600_000;
/** Maximum bytes of a page. Agents can't read longer pages in a tool result. */
const maxPageBytes = 64_000;
const defaultPageBytes = 16_000;

/** Usage notes that are sent to the model. */
const instructions =
  "Run the project's tests with run_tests, and its compilers and linters with check, instead of a shell: run_tests finds the " +
  "runner, and reports for every failure its place, message, difference, own calls and output, once, in few words. Faults are " +
  "numbered; the first line has the handle in brackets. detail shows one fault in full, output pages through what the runner " +
  "wrote; neither runs anything again.";

/**
 * Adds an MCP server that runs a project's tests, in trusted folders that look like projects; `options` are `{tools?, timeoutMs?}`. Unless
 * `terminalOutput` is `full`, agents in these sessions also get a report instead of the output of tests that they run in editor terminals.
 */
export function testsProxy(
  options: unknown,
  services: TestServices,
  trust: FolderTrust,
  version: string,
  terminalOutput: "short" | "full" = "short",
): Proxy {
  const { tools, timeoutMs } = asObject(options) ?? {};
  const wanted = Array.isArray(tools) ? new Set<unknown>(tools) : undefined;
  const isTime = typeof timeoutMs === "number" && Number.isFinite(timeoutMs) && timeoutMs > 0;
  // All sessions share one queue, since Java builds write to the same folder.
  const queue = new RunQueue();
  return {
    name,
    connect: ({ client }) => {
      const limitMs = isTime ? timeoutMs : defaultTimeoutMs;
      const runs = new ProjectRuns(services, limitMs, trust, queue);
      let tests: Promise<TestRuns> | undefined;
      // Loads the code on first use, since it is 100 times larger than the tool list and most sessions never need it.
      const loaded = (): Promise<TestRuns> =>
        (tests ??= import("./test-runs.js").then(({ TestRuns }) => new TestRuns(runs)));
      const sessions = new Set<ProxySession>();
      const { store } = runs;
      const isListed = wanted?.has("output") !== false;
      const canPage = (id: string): boolean => isListed && [...sessions].some(({ sessionId }) => sessionId === id);
      const terminals = new TerminalTestReports({ client, store, createLog: () => services.createLog(), canPage });
      return {
        ...(terminalOutput === "short" && {
          agentRequests: {
            "terminal/create": (request, reply) => terminals.create(request, reply),
            "terminal/output": (request, reply) => terminals.output(request, reply),
            "terminal/release": (request, reply) => terminals.release(request, reply),
          },
        }),
        mcpServers: (session) => {
          if (!services.hasProject(session.cwd)) return [];
          sessions.add(session);
          const end = (): void => {
            sessions.delete(session);
            terminals.end(session.sessionId);
          };
          session.signal.addEventListener("abort", end, { once: true });
          return [toServer(runs, loaded, session, client, version, wanted)];
        },
        [Symbol.asyncDispose]: () => runs[Symbol.asyncDispose](),
      };
    },
  };
}

function toServer(
  runs: ProjectRuns,
  tests: () => Promise<TestRuns>,
  session: ProxySession,
  client: Peer,
  version: string,
  wanted: ReadonlySet<unknown> | undefined,
): ToolServer {
  const of = { cwd: session.cwd, signal: session.signal, client, sessionId: () => session.sessionId };
  const tools = [runTestsTool(tests, of), checkTool(runs, of), detailTool(runs), outputTool(runs)];
  return new ToolServer({
    name,
    version,
    instructions,
    tools: tools.filter((tool) => wanted?.has(tool.name) !== false),
  });
}

function runTestsTool(tests: () => Promise<TestRuns>, of: RunSession): Tool {
  return {
    name: "run_tests",
    description:
      "Runs the tests of the workspace's projects (vitest, jest, mocha, playwright, node:test, bun, pytest, go test, Maven, Gradle) " +
      "and reports what failed, where and why.",
    inputSchema: argumentsSchema({
      path: textSchema("A test file or folder; by default every project of the workspace."),
      filter: textSchema("Only tests whose name contains this text."),
      only_failed: flagSchema("Only the files that had failures in the last run."),
      timeout_seconds: integerSchema(1, "After this time, stops a run and everything it started.", 86_400),
    }),
    call: async (args, context) => {
      const { path, filter, only_failed: onlyFailed, timeout_seconds: seconds } = args;
      const call = {
        ...(typeof path === "string" && { path }),
        ...(typeof filter === "string" && { filter }),
        ...(typeof seconds === "number" && { timeoutMs: seconds * 1_000 }),
        onlyFailed: onlyFailed === true,
      };
      return (await tests()).run(call, of, context);
    },
  };
}

function checkTool(runs: ProjectRuns, of: RunSession): Tool {
  return {
    name: "check",
    description:
      "Checks types and style with the tools that the project configures (tsc, eslint, biome, oxlint, ruff, mypy, pyright, go vet, " +
      "golangci-lint, gcc, clang, javac) and reports each finding's place and message. Fixes nothing; a tool may write its own cache.",
    inputSchema: argumentsSchema({
      path: textSchema("A file or folder; by default every project."),
      timeout_seconds: integerSchema(1, "Ends a check.", 86_400),
    }),
    call: async ({ path, timeout_seconds: seconds }, context) => {
      const { runChecks } = await import("./check-runs.js");
      const timeout = typeof seconds === "number" && { timeoutMs: seconds * 1_000 };
      return runChecks(runs, { ...(typeof path === "string" && { path }), ...timeout }, of, context);
    },
  };
}

function detailTool(runs: ProjectRuns): Tool {
  return {
    name: "detail",
    description: "Shows one fault or finding of a run in full: message, difference, calls, output.",
    inputSchema: argumentsSchema(
      {
        handle: textSchema("Of the run, such as t1."),
        index: integerSchema(1, "The fault's number."),
      },
      ["handle", "index"],
    ),
    annotations: { readOnlyHint: true },
    call: ({ handle, index }) => Promise.resolve(runs.store.detail(String(handle), Number(index))),
  };
}

function outputTool(runs: ProjectRuns): Tool {
  return {
    name: "output",
    description: "Pages through the full output of a run.",
    inputSchema: argumentsSchema(
      {
        handle: textSchema("Of the run, such as t1."),
        offset: { type: "integer", description: "First byte; a negative number starts from the end. Default: 0." },
        limit: integerSchema(1, `Bytes; ${defaultPageBytes} by default.`, maxPageBytes),
      },
      ["handle"],
    ),
    annotations: { readOnlyHint: true },
    call: ({ handle, offset = 0, limit = defaultPageBytes }) =>
      runs.store.page(String(handle), Number(offset), Number(limit)),
  };
}
