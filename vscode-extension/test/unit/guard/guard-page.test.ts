import assert from "node:assert/strict";
import { GuardPage } from "../../../src/features/guard/guard-page.js";

const status = {
  file: "/home/me/.symposium/guard.jsonc",
  sandbox: { isThere: true },
  agents: [
    { agent: "codex", level: "rules", isKnown: true, isBuiltIn: false, summary: "Codex is held.", parts: [] },
    { agent: "broken", problem: "It is not known." },
  ],
  rules: [],
  budgets: [],
  problems: [],
  decisions: [],
  refused: [
    { host: "open.example:443", agents: ["codex"], count: 1, time: "2026-01-01", reason: "no", canOpen: true },
    { host: "10.0.0.1:80", agents: ["codex"], count: 1, time: "2026-01-01", reason: "private", canOpen: false },
  ],
};

describe("the page Guard without its web view", () => {
  let words: string[][];
  let said: string[];
  let opened: unknown[];
  let changes: string[];
  let where: "folder" | "everywhere" | undefined;
  let refusal: string | undefined;
  let answer: unknown;
  /** Promises that delay the next commands, one each. */
  let held: Promise<unknown>[];
  let page: GuardPage;
  beforeEach(async () => {
    [words, said, opened, changes] = [[], [], [], []];
    [where, refusal, answer, held] = [undefined, undefined, status, []];
    page = new GuardPage({
      agents: () => Promise.resolve([{ name: "Codex", spec: "codex" }]),
      levelChanged: (spec) => changes.push(spec),
      changed: () => undefined,
      commandLine: {
        json: async (args, parser) => {
          words.push([...args]);
          const parsed = parser.safeParse(answer);
          await held.shift();
          return parsed.success ? Promise.resolve(parsed.data) : Promise.reject(new Error("not as expected"));
        },
        run: async (args) => {
          await held.shift();
          words.push([...args]);
          return refusal === undefined ? Promise.resolve("") : Promise.reject(new Error(refusal));
        },
      },
      editor: {
        folder: "/project",
        openFile: (file, line) => Promise.resolve(void opened.push([file, line])),
        openRules: (file) => Promise.resolve(void opened.push(file)),
        askForHost: () => Promise.resolve(where),
        say: (message) => said.push(message),
      },
    });
    await page.refresh();
    words = [];
  });
  it("leads to the rules even if the command cannot be asked, as in Restricted Mode", async () => {
    const asked = new GuardPage({
      agents: () => Promise.resolve([]),
      levelChanged: () => undefined,
      changed: () => undefined,
      commandLine: { json: () => Promise.reject(new Error("restricted")), run: () => Promise.reject(new Error("no")) },
      editor: {
        folder: "/project",
        openFile: () => Promise.resolve(),
        openRules: (file) => Promise.resolve(void opened.push(file)),
        askForHost: () => Promise.resolve(undefined),
        say: (message) => said.push(message),
      },
    });
    await asked.refresh();
    await asked.receive({ type: "open-file" });
    assert.deepEqual([asked.state.problem, opened, said], ["restricted", [undefined], []]);
  });

  const writes = (): string[][] => words.filter(([, verb]) => verb !== "status");

  it("shows what the command says, and why where it says nothing", async () => {
    assert.equal(page.state.status?.agents.length, 2);
    assert.deepEqual(page.state.names, { codex: "Codex" });
    answer = { agents: "none" };
    await page.refresh();
    assert.match(page.state.problem ?? "", /not as expected/);
    assert.equal(page.state.isLoading, false);
    assert.equal(page.state.status.agents.length, 2, "what was known stays in sight");
  });

  it("writes what the user wants in that order, however long each takes", async () => {
    let letGo: () => void = () => undefined;
    held = [new Promise<void>((resolve) => (letGo = resolve))];
    const both = ["rules", "sandbox"].map((level) => page.receive({ type: "set-level", agent: "codex", level }));
    await new Promise((resolve) => setImmediate(resolve));
    letGo();
    await Promise.all(both);
    assert.deepEqual(
      writes().map((line) => line.at(-1)),
      ["rules", "sandbox"],
    );
  });

  it("shows what it asked for last, also where an earlier answer comes later", async () => {
    let letGo: () => void = () => undefined;
    held = [new Promise<void>((resolve) => (letGo = resolve))];
    const earlier = page.refresh();
    await new Promise((resolve) => setImmediate(resolve));
    answer = { ...status, problems: ["the later answer"] };
    await page.refresh();
    letGo();
    await earlier;
    assert.deepEqual([page.state.status?.problems, page.state.isLoading], [["the later answer"], false]);
  });

  it("takes back what the user has allowed, and no rule that refuses or is another's", async () => {
    const place = "/home/me/.symposium/guard.jsonc:3";
    const bounds = { agent: "codex", kind: "execute", exact: true, cwd: "/p/a b", in: "/p" };
    const rules = [
      { effect: "allow", subject: "command", patterns: ["make --a"], ...bounds, place },
      { effect: "deny", subject: "read", patterns: [".env"], place },
      { effect: "allow", subject: "host", patterns: ["a.example"], place: "/p/.symposium/guard.jsonc:3" },
    ];
    answer = { ...status, rules };
    await page.refresh();
    for (const { subject, patterns, place: where } of rules)
      await page.receive({ type: "take-back", place: where, subject, patterns });
    const options = ["--agent=codex", "--kind=execute", "--cwd=/p/a b", "--in=/p", "--exact"];
    const removed = ["guard", "remove", ...options, "--", "allow", "command", "make --a"];
    assert.deepEqual(writes(), [removed]);
    await page.receive({ type: "take-back", place, subject: "command", patterns: ["what stood there before"] });
    assert.deepEqual(writes(), [removed], "another rule at its place is not meant");
  });

  it("opens a refused host where the user says, and nothing before that or besides", async () => {
    await page.receive({ type: "open-host", host: "open.example:443" });
    where = "folder";
    await page.receive({ type: "open-host", host: "10.0.0.1:80" });
    await page.receive({ type: "open-host", host: "other.example:443" });
    assert.deepEqual(writes(), []);
    await page.receive({ type: "open-host", host: "open.example:443" });
    where = "everywhere";
    await page.receive({ type: "open-host", host: "open.example:443" });
    assert.deepEqual(writes(), [
      ["guard", "add", "--in", "/project", "allow", "host", "--", "open.example:443"],
      ["guard", "add", "allow", "host", "--", "open.example:443"],
    ]);
  });

  it("switches how an agent is held, and says why it is not switched", async () => {
    await page.receive({ type: "set-level", agent: "codex", level: "sandbox" });
    await page.receive({ type: "set-level", agent: "unknown", level: "off" });
    assert.deepEqual(writes(), [["guard", "level", "--", "codex", "sandbox"]]);
    assert.deepEqual(changes, ["codex"]);
    refusal = "There is no sandbox here.";
    await page.receive({ type: "set-level", agent: "codex", level: "sandbox" });
    assert.deepEqual([said, changes], [["There is no sandbox here."], ["codex"]]);
    assert.equal(words.at(-1)?.[1], "status", "the choice shows what holds");
  });

  it("opens the line of a rule and the file, and refuses what is no message", async () => {
    await page.receive({ type: "open-place", place: "/home/me/.symposium/guard.jsonc:12" });
    await page.receive({ type: "open-file" });
    await page.receive({ type: "frob" });
    assert.deepEqual(opened, [["/home/me/.symposium/guard.jsonc", 12], "/home/me/.symposium/guard.jsonc"]);
    assert.match(said.join(), /couldn't be understood/);
  });
});
