import assert from "node:assert/strict";
import type { RawClient } from "../support/raw-client.js";
import { DirectRun } from "./direct-run.js";
import { mcpTargets } from "./mcp-target.js";
import { observe } from "./observe.js";
import { proxyTargets } from "./proxy-target.js";
import { ConformanceReport } from "./report.js";
import { requirements } from "./requirements.js";
import { mcpServers } from "./requirements/mcp-servers.js";
import { proxyChains } from "./requirements/proxy-chains.js";
import { directTarget, startTarget, type Target, targets } from "./target.js";

describe("conformance", () => {
  const report = new ConformanceReport();
  const direct = new DirectRun();
  after(() => direct[Symbol.asyncDispose]());
  after(() => report.write());

  it("gives every requirement an id of its own", () => {
    const ids = [...requirements, ...proxyChains, ...mcpServers].map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)]);
  });

  describe(directTarget.name, () => {
    for (const requirement of requirements) {
      it(`${requirement.id} ${requirement.title}`, () =>
        report.noting(requirement, directTarget.name, async () => {
          await direct.observe(requirement);
        }));
    }
  });

  for (const target of targets) {
    describe(target.name, () => {
      const client = useTarget(target);
      for (const requirement of requirements) {
        it(`${requirement.id} ${requirement.title}`, () =>
          report.noting(requirement, target.name, async () => {
            assert.deepEqual(await observe(requirement, client()), await direct.observe(requirement));
          }));
      }
    });
  }

  for (const target of proxyTargets) {
    describe(target.name, () => {
      const client = useTarget(target);
      for (const requirement of proxyChains) {
        it(`${requirement.id} ${requirement.title}`, () =>
          report.noting(requirement, target.name, async () => {
            const check = (connected: RawClient) => requirement.check(connected, target.names).then(() => undefined);
            await observe({ check }, client());
          }));
      }
    });
  }

  for (const target of mcpTargets) {
    describe(target.name, () => {
      const client = useTarget(target);
      for (const requirement of mcpServers) {
        if (requirement.forms?.includes(target.form) === false) continue;
        it(`${requirement.id} ${requirement.title}`, () =>
          report.noting(requirement, target.name, async () => {
            await using stack = new AsyncDisposableStack();
            const check = (connected: RawClient) =>
              requirement.check({ client: connected, form: target.form, stack }).then(() => undefined);
            await observe({ check }, client());
          }));
      }
    });
  }
});

/** Starts the target's command for the tests of the enclosing suite, and ends it after them. */
function useTarget(target: Target): () => RawClient {
  const stack = new AsyncDisposableStack();
  let client: RawClient | undefined;
  before(async () => {
    client = await startTarget(target, stack);
  });
  after(() => stack.disposeAsync());
  return () => {
    if (client === undefined) throw new Error(`${target.name} has not been started.`);
    return client;
  };
}
