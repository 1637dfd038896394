import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { Json } from "../../../src/base/rpc/json.js";
import { call, ChangingServer, entriesOf, quiet, searched, server, textOf, tool } from "./tool-search-fixture.js";

describe("a search for tools of servers that change", () => {
  async function changing() {
    const controller = new AbortController();
    const inner = new ChangingServer("inner");
    inner.tools = [{ name: "first" }];
    const search = await searched([inner], { signal: controller.signal });
    const heard: string[] = [];
    search.subscribe((method) => heard.push(method));
    const names = async () => /inner: (.*)/.exec((await entriesOf(search))[0]?.description ?? "")?.[1];
    return { inner, search, heard, names, end: () => controller.abort() };
  }

  it("changes its list at once between turns, and in a turn at its end", async () => {
    const { inner, search, heard, names } = await changing();
    search.turn(true);
    inner.tools = [{ name: "first" }, { name: "second" }];
    inner.emit("notifications/tools/list_changed");
    await setImmediate();
    const during = {
      names: await names(),
      heard: [...heard],
      called: await textOf(call(search, "call_tool", { name: "second" })),
    };
    search.turn(false);
    const after = { names: await names(), heard: [...heard] };
    inner.tools = [];
    inner.emit("notifications/tools/list_changed");
    await setImmediate();
    assert.deepEqual(
      { during, after, between: { names: await names(), heard } },
      {
        during: { names: "first", heard: [], called: "second" },
        after: { names: "first, second", heard: ["notifications/tools/list_changed"] },
        between: {
          names: undefined,
          heard: ["notifications/tools/list_changed", "notifications/tools/list_changed"],
        },
      },
    );
  });

  it("says nothing of a change that models cannot see", async () => {
    const { inner, heard } = await changing();
    inner.tools = [{ name: "first", description: "Now with a description." }];
    inner.emit("notifications/tools/list_changed");
    await setImmediate();
    assert.deepEqual(heard, []);
  });

  it("passes on other notifications, and listens no longer when the session has ended", async () => {
    const { inner, heard, end } = await changing();
    inner.emit("notifications/resources/list_changed");
    end();
    await setImmediate();
    assert.deepEqual([heard, inner.listeners], [["notifications/resources/list_changed"], 0]);
  });

  it("serves the resources and prompts of all servers", async () => {
    const files = new ChangingServer("files");
    files.resources = [{ uri: "file:a" }];
    const notes = new ChangingServer("notes");
    notes.resources = [{ uri: "note:b" }, { uri: "file:a" }];
    const search = await searched([server("plain", [tool("one", "One.")]), files, notes]);
    const ask = async (method: string, params: unknown) => {
      const { json } = await search.call(method, Json.of(params), quiet);
      return json.value;
    };
    assert.deepEqual(
      {
        capabilities: (await search.describe(quiet.signal)).capabilities,
        listed: await ask("resources/list", {}),
        read: await ask("resources/read", { uri: "note:b" }),
        unknown: await ask("resources/read", { uri: "c" }),
        prompts: await ask("prompts/list", {}),
        other: await ask("logging/unknown", {}),
      },
      {
        capabilities: { resources: {}, tools: { listChanged: true } },
        listed: { resources: [{ uri: "file:a" }, { uri: "note:b" }] },
        read: { contents: [{ uri: "note:b", text: "notes" }] },
        unknown: { code: -32601, message: "Method not found: resources/read" },
        prompts: { prompts: [] },
        other: { code: -32601, message: "Method not found: logging/unknown" },
      },
    );
  });
});
