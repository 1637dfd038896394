import assert from "node:assert/strict";
import type { RunOptions } from "../../../src/features/agents/subcommand-runner.js";
import type { RunningServer } from "../../../src/features/mcp-servers/listed-servers.js";
import { McpServersPage } from "../../../src/features/mcp-servers/mcp-servers-page.js";

const tool = { name: "read", bytes: 1_200, isLeftOut: false };

describe("the page of MCP servers", () => {
  let listed: object[];
  let running: RunningServer[];
  let words: string[][];
  let said: string[];
  let opened: unknown[];
  let list: () => Promise<readonly RunningServer[]>;
  let shown: unknown[];
  let refusal: string | undefined;
  /** Promises that commands wait for before they run, one per command. */
  let held: Promise<unknown>[];
  let [asked, agrees]: [object, boolean] = [{}, true];
  let login: (options: RunOptions) => Promise<string>;
  let page: McpServersPage;
  beforeEach(() => {
    const shared = { type: "stdio", state: "on", missing: [], start: "files-mcp", origin: "user" };
    listed = [
      { ...shared, name: "files", file: "/home/me/config.jsonc", line: 4 },
      { ...shared, name: "vault", type: "http", start: "https://mcp.example", file: "/home/me/config.jsonc" },
      { ...shared, name: "theirs", origin: "project", file: "/p/.symposium/config.jsonc", state: "not-approved" },
      { ...shared, name: "mine", origin: "editor", state: "off", offBy: "exclude" },
      { ...shared, name: "entry", origin: "editor", state: "off", offBy: "entry" },
    ];
    [running, words, said, opened, shown, held] = [[], [], [], [], [], []];
    list = () => Promise.resolve(running);
    refusal = undefined;
    login = () => Promise.resolve("");
    page = new McpServersPage({
      changed: () => shown.push([page.state.isLoading, page.state.servers.length]),
      commandLine: {
        json: (args, parser) => {
          words.push([...args]);
          const parsed = parser.safeParse(args[0] === "trust" ? asked : listed);
          return parsed.success ? Promise.resolve(parsed.data) : Promise.reject(new Error("not as expected"));
        },
        run: async (args, options) => {
          await held.shift();
          words.push([...args]);
          if (refusal !== undefined) return Promise.reject(new Error(refusal));
          return args[1] === "login" ? login(options ?? {}) : Promise.resolve("Done.");
        },
      },
      running: {
        list: () => list(),
        restart: (name) => Promise.resolve(void opened.push(["restart", name])),
      },
      editor: {
        folder: "/p",
        home: "/home/me",
        environment: () => Promise.resolve({}),
        openUrl: (url) => Promise.resolve(opened.push(["url", url]) > 0),
        openFile: (file, line) => Promise.resolve(void opened.push([file, line])),
        openSetting: () => Promise.resolve(void opened.push("setting")),
        openConfig: () => Promise.resolve(),
        confirm: (title, text) => Promise.resolve(opened.push([title, text]) > 0 && agrees),
        askForServer: () => Promise.resolve(["new", "--", "new-mcp"]),
        say: (message) => said.push(message),
      },
    });
  });

  const lines = (): unknown[] =>
    page.state.servers.map(({ name, from, state, text, actions }) => [
      name,
      from,
      state,
      text,
      actions.map(({ label }) => label).join(", "),
    ]);
  const idOf = (name: string): string => page.state.servers.find((one) => one.name === name)?.id ?? "";
  const act = (name: string, action: string): Promise<void> =>
    page.receive({ type: "act", server: idOf(name), action });
  const inSession = (name: string, state: RunningServer["state"], origin = "user"): RunningServer => ({
    name,
    origin: { kind: origin, ...(origin === "user" && { file: "/home/me/config.jsonc" }) },
    type: "stdio",
    state,
    tools: [tool],
    sessions: 1,
  });

  it("switches in the order in which the user pressed, however long each takes", async () => {
    await page.refresh();
    let letGo: () => void = () => undefined;
    held = [new Promise<void>((resolve) => (letGo = resolve))];
    const both = ["off", "on"].map((action) => act(action === "off" ? "files" : "mine", action));
    await new Promise((resolve) => setImmediate(resolve));
    letGo();
    await Promise.all(both);
    assert.deepEqual(
      words.filter(([verb]) => verb === "context"),
      [
        ["context", "off", "mcp:files"],
        ["context", "on", "mcp:mine"],
      ],
    );
  });

  it("says of each server where it comes from, how it is and what can be done, where nothing runs", async () => {
    await page.refresh();
    assert.deepEqual(lines(), [
      ["files", "~/config.jsonc", "idle", "Not running", "Disable, Edit"],
      ["vault", "~/config.jsonc", "idle", "Not running", "Sign In, Disable, Edit"],
      ["theirs", "This project: /p/.symposium/config.jsonc", "not-approved", "Not allowed", "Allow…, Edit"],
      ["mine", "VS Code settings", "off", "Off", "Enable, Edit"],
      ["entry", "VS Code settings", "off", "Off", "Edit"],
    ]);
  });

  it("shows how servers are in sessions, of several agents the worst, and those that no file names", async () => {
    running = [
      inSession("files", { kind: "ready" }),
      inSession("files", { kind: "failed", reason: "It died.", hint: "Look.", retryAt: 5 }),
      inSession("vault", { kind: "needs-sign-in" }),
      inSession("clock", { kind: "ready" }, "component"),
    ];
    await page.refresh();
    const [files, vault, , , , clock] = page.state.servers;
    assert.deepEqual(
      [files?.text, files?.detail, vault?.state, vault?.actions[0]?.label, clock?.from, clock?.text, clock?.tools],
      [
        "Failed",
        "It died. Look. It is retried automatically.",
        "sign-in",
        "Sign In",
        "An extension in the agent's chain",
        "Running in 1 session",
        [tool],
      ],
    );
    running = [inSession("files", { kind: "ready" })];
    await page.refreshRunning();
    const [after] = page.state.servers;
    assert.deepEqual([after?.text, after?.lastError], ["Running in 1 session", "It died."]);
  });

  it("restarts, switches and edits what a button is for, and nothing that has no button", async () => {
    running = [inSession("files", { kind: "ready" })];
    await page.refresh();
    words = [];
    await act("files", "restart");
    await act("files", "off");
    await act("mine", "on");
    await act("files", "edit");
    await act("mine", "edit-setting");
    await act("entry", "on");
    await act("theirs", "sign-in");
    await page.receive({ type: "switch-tool", server: idOf("files"), tool: "read", isOn: false });
    await page.receive({ type: "add" });
    await page.receive({ type: "act", server: 5 });
    assert.deepEqual(
      words.filter(([, verb]) => verb !== "list"),
      [
        ["context", "off", "mcp:files"],
        ["context", "on", "mcp:mine"],
        ["context", "off", "mcp:files/read"],
        ["mcp", "add", "new", "--", "new-mcp"],
      ],
    );
    assert.deepEqual(opened, [["restart", "files"], ["/home/me/config.jsonc", 4], "setting"]);
    assert.deepEqual(said, ["The MCP servers page sent a message that couldn't be understood."]);
  });

  it("allows what a project asks for as it was shown, once the user agrees, and says what cannot be allowed", async () => {
    await page.refresh();
    const question = { title: "Allow this project's configuration?", text: "+ mcpServers.theirs: {}" };
    asked = { state: "unasked", digest: "abc", ...question, warnings: [] };
    const decide = async (agreed: boolean): Promise<readonly string[][]> => {
      [words, agrees] = [[], agreed];
      await act("theirs", "allow");
      return words;
    };
    const [show, refresh] = [
      ["trust", "/p", "--question"],
      ["mcp", "list", "--json"],
    ];
    assert.deepEqual(await decide(false), [show, refresh]);
    assert.deepEqual(await decide(true), [show, ["trust", "/p", "--allow", "abc"], refresh]);
    refusal = "It is another one than you were shown.";
    assert.deepEqual(await decide(true), [show, ["trust", "/p", "--allow", "abc"], refresh]);
    asked = { state: "refused", warnings: ["Too many files."] };
    assert.deepEqual(await decide(true), [show, refresh]);
    assert.deepEqual(opened, Array(3).fill([question.title, question.text]));
    assert.deepEqual(said, ["Done.", refusal, "This project's configuration can't be allowed. Too many files."]);
  });

  it("shows a tool as it is where its switch is refused", async () => {
    running = [inSession("files", { kind: "ready" })];
    await page.refresh();
    [words, shown, refusal] = [[], [], "config.jsonc is broken."];
    await page.receive({ type: "switch-tool", server: idOf("files"), tool: "read", isOn: false });
    assert.deepEqual(
      words.map(([, verb]) => verb),
      ["off", "list"],
    );
    assert.deepEqual([said, shown.length > 0], [["config.jsonc is broken."], true]);
  });

  it("opens the address of a sign-in, which can be given up while the browser is open", async () => {
    await page.refresh();
    let begin: (options: RunOptions) => void = () => undefined;
    const begun = new Promise<RunOptions>((resolve) => (begin = resolve));
    login = (options) => {
      options.onLine?.("Sign in at:");
      options.onLine?.("    https://as.example/authorize?a=1");
      begin(options);
      return new Promise((_resolve, reject) => {
        options.signal?.addEventListener("abort", () => reject(new Error("Cancelled")));
      });
    };
    const signingIn = act("vault", "sign-in");
    const { signal } = await begun;
    const { text, actions } = page.state.servers[1] ?? {};
    assert.deepEqual([text, actions?.map(({ label }) => label)], ["Waiting for the browser", ["Cancel"]]);
    await act("vault", "cancel");
    await signingIn;
    assert.deepEqual(opened, [["url", "https://as.example/authorize?a=1"]]);
    assert.deepEqual([signal?.aborted, page.state.servers[1]?.isBusy, said], [true, false, []]);
  });

  it("ends a sign-in by the command, says what became of it, and asks again", async () => {
    listed = listed.map((one) => ({ ...one, isSignedIn: true }));
    await page.refresh();
    words = [];
    await act("vault", "sign-out");
    assert.deepEqual(words, [
      ["mcp", "logout", "vault"],
      ["mcp", "list", "--json"],
    ]);
    assert.deepEqual(said, ["Done."]);
  });

  it("shows tools as they are written for the next session, whatever sessions that are open have", async () => {
    running = [inSession("files", { kind: "ready" })];
    const [files, ...others] = listed;
    listed = [{ ...files, tools: [{ ...tool, isLeftOut: true }] }, ...others];
    await page.refresh();
    assert.deepEqual(page.state.servers[0]?.tools, [{ ...tool, isLeftOut: true }]);
  });

  it("shows what files say while agents take their time", async () => {
    let answer: (servers: readonly RunningServer[]) => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      list = () => (resolve(), new Promise((later) => (answer = later)));
    });
    const refreshing = page.refresh();
    await asked;
    assert.deepEqual(shown, [
      [true, 0],
      [false, 5],
    ]);
    answer([]);
    await refreshing;
  });

  it("asks agents again after it could not", async () => {
    list = () => Promise.reject(new Error("None can be asked."));
    await page.refresh();
    assert.equal(page.state.problem, "None can be asked.");
    list = () => Promise.resolve([inSession("files", { kind: "ready" })]);
    await page.refresh();
    assert.deepEqual([page.state.problem, page.state.servers[0]?.state], [undefined, "running"]);
  });

  it("says why the list could not be had, and keeps the one of before", async () => {
    await page.refresh();
    listed = [{ name: 5 }];
    await page.refresh();
    assert.deepEqual([page.state.problem, page.state.servers.length], ["not as expected", 5]);
  });
});
