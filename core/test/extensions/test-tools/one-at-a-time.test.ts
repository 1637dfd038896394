import assert from "node:assert/strict";
import { Logger } from "../../../src/base/logger.js";
import type { ProxyHandlers } from "../../../src/conductor/chain/proxy.js";
import type { TestServices } from "../../../src/extensions/test-tools/project-runs.js";
import { testsProxy } from "../../../src/extensions/test-tools/tests-proxy.js";
import { Json } from "../../../src/base/rpc/json.js";
import { nobody } from "../../../src/base/rpc/peer.js";
import { trusting } from "../../../testing/scripted-client.js";

const log = {
  append: () => undefined,
  read: () => Promise.resolve({ text: "", size: 0 }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

describe("runs in one folder", () => {
  it("come one after the other, tests and checks, of every connection", async () => {
    const ran: string[] = [];
    let running = 0;
    let most = 0;
    const jvm = { tool: "maven", program: "mvn", root: "/w", module: "" } as const;
    const facts = { folder: "/w", dependencies: [], installed: {}, checks: { missing: [], nowhere: "/dev/null" }, jvm };
    const services = {
      resolve: () => Promise.resolve("/w"),
      projects: () => Promise.resolve([facts]),
      hasProject: () => true,
      nodeTests: () => Promise.resolve([]),
      run: async ({ args }) => {
        ran.push(args.at(-1) ?? "");
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return { code: 0, signal: null, durationMs: 1 };
      },
      createLog: () => Promise.resolve(log as never),
      reporters: () => Promise.resolve("/reporters"),
      eventFile: () => Promise.resolve({ path: "", read: () => Promise.resolve(""), ...nothingToDispose }),
      newReports: () => Promise.resolve({ read: () => Promise.resolve("") }),
      ...nothingToDispose,
    } satisfies TestServices;
    const proxy = testsProxy({}, services, trusting(), "1");
    const connections = [0, 1].map(() => proxy.connect({ client: nobody, successor: nobody, logger: Logger.silent }));
    await Promise.all(connections.flatMap((handlers) => [call(handlers, "run_tests"), call(handlers, "check")]));
    assert.deepEqual(ran.sort(), ["test", "test", "test-compile", "test-compile"]);
    assert.equal(most, 1);
    for (const handlers of connections) await handlers[Symbol.asyncDispose]?.();
  });
});

const nothingToDispose = { [Symbol.asyncDispose]: () => Promise.resolve() };

async function call(handlers: ProxyHandlers, name: string): Promise<void> {
  const { signal } = new AbortController();
  const [server] = handlers.mcpServers?.({ sessionId: undefined, cwd: "/w", signal }) ?? [];
  await server?.call("tools/call", Json.of({ name, arguments: {} }), { signal, notify: () => undefined });
}
