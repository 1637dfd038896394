import assert from "node:assert/strict";
import { mock } from "node:test";
import { Logger } from "../../../../src/base/logger.js";
import { SessionMcpServers } from "../../../../src/context/servers/node/session-mcp-servers.js";
import { defaultSettings } from "../../../../src/settings/settings-table.js";

describe("SessionMcpServers", () => {
  it("leaves no timer when it is disposed while it loads", async () => {
    const open = new Set<unknown>();
    const { setTimeout, clearTimeout } = globalThis;
    const set = mock.method(globalThis, "setTimeout", (action: () => void, ms?: number) => {
      const timer = setTimeout(action, ms);
      if (ms === 30_000) open.add(timer);
      return timer;
    });
    const clear = mock.method(globalThis, "clearTimeout", (timer?: NodeJS.Timeout) => {
      open.delete(timer);
      clearTimeout(timer);
    });
    try {
      const source = new SessionMcpServers({
        startProcess: () => assert.fail("nothing is started"),
        maxMessageBytes: 1_000,
        toolSearch: defaultSettings.toolSearch,
        logger: Logger.silent,
        learn: () => undefined,
      });
      const loading = source.hub();
      await source[Symbol.asyncDispose]();
      await loading;
      assert.equal(open.size, 0);
    } finally {
      set.mock.restore();
      clear.mock.restore();
    }
  });
});
