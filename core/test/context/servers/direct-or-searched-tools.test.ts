import assert from "node:assert/strict";
import type { McpServer } from "../../../src/base/mcp/mcp-server.js";
import { agentTable } from "../../../src/agents/registry/agent-table.js";
import { Json } from "../../../src/base/rpc/json.js";
import { CountedUse } from "../../../src/context/servers/tool-call-counts.js";
import type { ToolSearchSettings } from "../../../src/settings/settings-table.js";
import { call, entriesOf, manyTools, quiet, searched, searches, server, textOf, tool } from "./tool-search-fixture.js";

describe("the choice between tools and a search for tools", () => {
  const few = [server("few", manyTools(40))];
  const many = [server("many", manyTools(41))];

  async function namesFor(id: string, servers: readonly McpServer[], changed: Partial<ToolSearchSettings> = {}) {
    const row = agentTable.find((one) => one.id === id);
    const offered = await searches(changed).offer(servers, { row, signal: quiet.signal });
    return [...offered.servers.map(({ name }) => name), ...(offered.instructions ? ["an index"] : [])];
  }

  it("searches for agents that show all tools, from the 41st tool on", async () => {
    assert.deepEqual(
      {
        few: await namesFor("opencode", few),
        many: await namesFor("opencode", many),
        gemini: await namesFor("gemini-cli", many),
        copilot: await namesFor("github-copilot", many),
        unknown: await namesFor("nobody", many),
        sum: await namesFor("opencode", [...few, server("more", manyTools(1))]),
      },
      { few: ["few"], many: ["tools"], gemini: ["tools"], copilot: ["tools"], unknown: ["tools"], sum: ["tools"] },
    );
  });

  it("searches when descriptions and schemas take more than the limit", async () => {
    const big = [server("big", [tool("write", "x".repeat(20_000))])];
    assert.deepEqual(
      [await namesFor("opencode", big), await namesFor("opencode", big, { maxBytes: 30_000 })],
      [["tools"], ["big"]],
    );
  });

  it("leaves the tools to agents that search by themselves, and names them where the agent does not", async () => {
    assert.deepEqual(
      [await namesFor("claude-code", many), await namesFor("codex", many), await namesFor("qwen-code", many)],
      [["many"], ["many", "an index"], ["many", "an index"]],
    );
  });

  it("goes by what the user has set", async () => {
    assert.deepEqual(
      [await namesFor("opencode", many, { mode: "off" }), await namesFor("opencode", few, { mode: "always" })],
      [["many"], ["tools"]],
    );
  });

  it("keeps the index of a system prompt below 1.5 kB and says how many tools it leaves out", async () => {
    const row = agentTable.find(({ id }) => id === "codex");
    const servers = [server("first", manyTools(200)), server("second", manyTools(3))];
    const { instructions } = await searches().offer(servers, { row, signal: quiet.signal });
    const text = instructions?.[0]?.text ?? "";
    const shown = text.match(/filler_\d+/g)?.length ?? 0;
    const rest = Number(/and (\d+) more/.exec(text)?.[1]);
    assert.deepEqual([text.length <= 1_500, shown + rest], [true, 203]);
  });

  it("takes a server that does not list its tools for one without any", async () => {
    const broken: McpServer = {
      name: "broken",
      describe: () => Promise.reject(new Error("gone")),
      call: () => Promise.reject(new Error("gone")),
    };
    const search = await searched([broken, server("good", [tool("list_files", "Lists files.")])]);
    const [entry] = await entriesOf(search);
    assert.match(entry?.description ?? "", /:\ngood: list_files$/);
  });
});

describe("a search for agents whose sessions share servers", () => {
  const row = agentTable.find(({ id }) => id === "opencode");
  const servers = [server("many", manyTools(41))];
  const names = (offered: { readonly servers: readonly McpServer[] }) => offered.servers.map(({ name }) => name);

  it("is one for the sessions that have the same servers, until the last has ended", async () => {
    const all = searches();
    const [first, second] = [new AbortController(), new AbortController()];
    const [one, two] = await Promise.all([first, second].map(({ signal }) => all.offer(servers, { row, signal })));
    first.abort();
    const three = await all.offer(servers, { row, signal: quiet.signal });
    const other = await all.offer([...servers, server("more", [])], { row, signal: quiet.signal });
    assert.deepEqual(
      [one?.servers[0] === two?.servers[0], three.servers[0] === one?.servers[0], names(three), names(other)],
      [true, true, ["tools"], ["tools_2"]],
    );
  });

  it("is one for each session of other agents", async () => {
    const all = searches();
    const session = { row: undefined, signal: quiet.signal };
    const [one, two] = await Promise.all([all.offer(servers, session), all.offer(servers, session)]);
    assert.deepEqual([one.servers[0] === two.servers[0], names(one), names(two)], [false, ["tools"], ["tools"]]);
  });
});

describe("a search for tools", () => {
  const issue = { properties: { title: { type: "string" }, labels: { type: "array", items: { type: "string" } } } };
  const github = server(
    "github",
    [
      tool("create_issue", "Opens a new issue in a repository.", { inputSchema: { ...issue, required: ["title"] } }),
      tool("getPullRequest", "Reads one pull request.", { annotations: { readOnlyHint: true } }),
      tool("search", "Looks through the code of a repository."),
    ],
    "Issues and pull requests. Use it for everything on the platform.",
  );
  const mail = server("mail", [tool("send_message", "Sends a letter."), tool("search", "Looks through letters.")]);

  it("names every tool in the description of its one list, read-only ones marked, and those of two servers by their server", async () => {
    const entries = await entriesOf(await searched([github, mail]));
    assert.deepEqual(
      { names: entries.map(({ name }) => name), lines: entries[0]?.description.split("\n").slice(1) },
      {
        names: ["search_tools", "call_read_tool", "call_tool"],
        lines: [
          "github (Issues and pull requests.): create_issue, getPullRequest*, github.search",
          "mail: send_message, mail.search",
        ],
      },
    );
  });

  it("finds a tool by forms of its words, parts of its name, and names of its parameters", async () => {
    const search = await searched([github, mail, server("fill", manyTools(50))]);
    const first = async (query: string) => /^## (\S+)/.exec(await textOf(call(search, "search_tools", { query })))?.[1];
    assert.deepEqual(
      [
        await first("creating issues"),
        await first("pull request"),
        await first("labels"),
        await first("send letters"),
        await first("mail.search"),
        await first("mesage"),
      ],
      ["create_issue", "getPullRequest", "create_issue", "send_message", "mail.search", "send_message"],
    );
  });

  it("gives the schemas of as many as were asked for, and the names of others", async () => {
    const search = await searched([server("fill", manyTools(9))]);
    const text = await textOf(call(search, "search_tools", { query: "filler", limit: 2 }));
    assert.deepEqual(
      [
        text.match(/^## /gm)?.length,
        text.match(/^Arguments: \{/gm)?.length,
        /Also found: (.*)/.exec(text)?.[1]?.split(", ").length,
      ],
      [2, 2, 7],
    );
  });

  it("shows what there is when nothing is found", async () => {
    const text = await textOf(call(await searched([mail]), "search_tools", { query: "zzzzzz" }));
    assert.equal(text, 'No tool matches "zzzzzz". Available tools:\nmail: send_message, search');
  });

  it("calls the tool of the server that it belongs to", async () => {
    const search = await searched([github, mail]);
    assert.deepEqual(
      [
        await textOf(call(search, "call_tool", { name: "create_issue", arguments: { title: "A" } })),
        await textOf(call(search, "call_tool", { name: "mcp__github__create_issue", arguments: '{"title":"B"}' })),
        await textOf(call(search, "call_tool", { name: "mail-search" })),
        await textOf(call(search, "create_issue", { title: "C" })),
      ],
      ['create_issue {"title":"A"}', 'create_issue {"title":"B"}', "search {}", 'create_issue {"title":"C"}'],
    );
  });

  it("gives no server a name by which another's tool is called", async () => {
    const search = await searched([
      server("a", [tool("delete", "Deletes.")]),
      server("b", [tool("delete", "Deletes, too."), tool("a.delete", "Takes over.")]),
    ]);
    assert.match(
      await textOf(call(search, "call_tool", { name: "a.delete", arguments: {} })),
      /^delete \{\}$|several|belongs/i,
    );
  });

  it("answers wrong arguments with the schema, and unknown names with similar ones", async () => {
    const search = await searched([github, mail]);
    const wrong = await textOf(call(search, "call_tool", { name: "create_issue", arguments: { titel: "A" } }));
    assert.match(
      wrong,
      /^failed: title: missing, expected a string\.\n\n## create_issue \(github\)\n.*\nArguments: \{.*"labels"/,
    );
    assert.deepEqual(
      [
        await textOf(call(search, "call_tool", { name: "issue" })),
        await textOf(call(search, "call_tool", { name: "search" })),
        await textOf(call(search, "call_tool", {})),
      ],
      [
        'failed: There is no tool "issue". Similar ones: create_issue.',
        'failed: Several tools are named "search": github.search, mail.search. Say which one.',
        "failed: name: missing, expected a string of at least 1 character.",
      ],
    );
  });

  it("calls by call_read_tool only what changes nothing", async () => {
    const search = await searched([github]);
    assert.deepEqual(
      [
        await textOf(call(search, "call_read_tool", { name: "getPullRequest" })),
        await textOf(call(search, "call_read_tool", { name: "create_issue", arguments: { title: "A" } })),
      ],
      ["getPullRequest {}", 'failed: "create_issue" may change something. Call it with call_tool.'],
    );
  });

  it("passes on arguments, results, progress and cancellation as they are", async () => {
    const result = '{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}],"structuredContent":{"n":1.0}}';
    const seen: unknown[] = [];
    const inner: McpServer = {
      name: "inner",
      describe: () => Promise.resolve({ serverInfo: {}, capabilities: {} }),
      call(method, params, context) {
        if (method === "tools/list")
          return Promise.resolve({ isError: false, json: Json.of({ tools: [{ name: "draw" }] }) });
        context.notify("notifications/progress", Json.of({ progress: 1 }));
        seen.push(params?.text, context.signal.aborted);
        return Promise.resolve({ isError: false, json: Json.ofText(result) });
      },
    };
    const search = await searched([inner]);
    const gone = new AbortController();
    gone.abort();
    const params =
      '{"name":"call_tool","arguments":{"name":"draw","arguments":{"id":12345678901234567890}},"_meta":{"progressToken":7}}';
    const notify = (method: string): void => void seen.push(method);
    const { json } = await search.call("tools/call", Json.ofText(params), { signal: gone.signal, notify });
    assert.deepEqual(
      { result: json.text, seen },
      {
        result,
        seen: [
          "notifications/progress",
          '{"name":"draw","arguments":{"id":12345678901234567890},"_meta":{"progressToken":7}}',
          true,
        ],
      },
    );
  });

  it("keeps the tools in its list that were called most, as far as there is space", async () => {
    const use = new CountedUse();
    const before = await searched([github, mail], { use });
    await call(before, "call_tool", { name: "mail.search" });
    await call(before, "call_tool", { name: "send_message" });
    await call(before, "call_tool", { name: "send_message" });
    const after = await searched([github, mail], { use });
    const names = (await entriesOf(after)).map(({ name }) => name).slice(3);
    assert.deepEqual(
      [names, (await entriesOf(before)).length, await textOf(call(after, "mail_search", {}))],
      [["send_message", "mail_search"], 3, "search {}"],
    );
  });

  it("says what servers say to models", async () => {
    const { instructions } = await (await searched([github, mail])).describe(quiet.signal);
    assert.equal(instructions, "## github\nIssues and pull requests. Use it for everything on the platform.");
  });
});
