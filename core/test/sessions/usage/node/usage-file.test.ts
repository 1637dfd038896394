import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../../src/base/logger.js";
import { readLimits, readUsage, UsageFile } from "../../../../src/sessions/usage/node/usage-file.js";
import { dayOf, noUsage, type UsageRow } from "../../../../src/sessions/usage/usage-row.js";
import { limitLines, usageTable } from "../../../../src/sessions/usage/usage-table.js";

const today = dayOf(Date.now());
const row = (figures: Partial<UsageRow> = {}): UsageRow => ({
  day: today,
  agent: "opencode",
  folder: "/work",
  ...noUsage,
  ...figures,
});

describe("the file of usage", () => {
  let folder = "";
  let file = "";
  const warnings: string[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-usage-"));
    file = join(folder, "usage.json");
    warnings.length = 0;
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const open = (): UsageFile => new UsageFile(file, new Logger(({ event }) => warnings.push(event)));

  it("adds up what several processes count at once, and is its user's alone", async () => {
    const files = [open(), open(), open()];
    for (let index = 0; index < 20; index++) for (const one of files) one.add(row({ shellRuns: 1 }));
    files[0]?.add(row({ agent: "claude", toolRuns: 2 }));
    await Promise.all(files.map((one) => one[Symbol.asyncDispose]()));
    const rows = await readUsage(file);
    assert.deepEqual(
      new Map(rows?.map((one) => [one.agent, [one.toolRuns, one.shellRuns]])),
      new Map([
        ["opencode", [0, 60]],
        ["claude", [2, 0]],
      ]),
    );
    if (process.platform !== "win32") assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it("keeps what another version counts", async () => {
    await writeFile(file, JSON.stringify({ later: 1, rows: [{ ...row({ toolRuns: 1 }), sheep: 7 }] }));
    await using one = open();
    one.add(row({ toolRuns: 2 }));
    await one[Symbol.asyncDispose]();
    assert.deepEqual(JSON.parse(await readFile(file, "utf8")), {
      later: 1,
      rows: [{ ...row({ toolRuns: 3 }), sheep: 7 }],
    });
  });

  it("is not there for a user who wants nothing to be kept", async () => {
    await using one = new UsageFile(file, new Logger(() => undefined), () => Promise.resolve(false));
    one.add(row({ toolRuns: 1 }));
    await one[Symbol.asyncDispose]();
    assert.deepEqual(await readdir(folder), []);
  });

  it("forgets days that are long over", async () => {
    await writeFile(file, JSON.stringify({ rows: [row({ day: "2001-01-01", toolRuns: 1 })] }));
    await using one = open();
    one.add(row({ toolRuns: 2 }));
    await one[Symbol.asyncDispose]();
    assert.deepEqual(await readUsage(file), [row({ toolRuns: 2 })]);
  });

  it("is kept aside where it is damaged", async () => {
    await writeFile(file, "{");
    assert.equal(await readUsage(file), undefined);
    await using one = open();
    one.add(row({ toolRuns: 2 }));
    await one[Symbol.asyncDispose]();
    assert.deepEqual(await readUsage(file), [row({ toolRuns: 2 })]);
    assert.equal((await readdir(folder)).filter((name) => name.startsWith("usage.json.broken-")).length, 1);
    assert.deepEqual(warnings, ["the usage figures couldn't be read and were set aside"]);
  });

  it("keeps what agents said last of their limits, of several processes, and prints those that are not over", async () => {
    const [first, second] = [open(), open()];
    const at = new Date(2026, 0, 31, 14, 5).getTime();
    const limit = { agent: "claude", name: "five_hour", status: "allowed", used: 0.5, resetsAt: at };
    first.limit(limit);
    first.add(row({ inputTokens: 1 }));
    await first[Symbol.asyncDispose]();
    second.limit({ ...limit, status: "rejected", used: 1 });
    second.limit({ agent: "codex", name: "weekly", status: "allowed" });
    await second[Symbol.asyncDispose]();
    assert.equal((await readUsage(file))?.length, 1);
    const lines = (now: number) =>
      readLimits(file).then((limits) => limitLines(limits, (name) => name, now).split("\n"));
    const weekly = "codex: limit weekly is allowed";
    const reached = "claude: limit five_hour is rejected, 100 % used, resets 2026-01-31 14:05";
    assert.deepEqual([await lines(at - 1), await lines(at)], [[reached, weekly], [weekly]]);
  });

  it("is a table of days and agents, with a sum for an agent of several days", () => {
    const rows = [
      row({ day: "2026-01-30", toolRuns: 3 }),
      row({ day: "2026-01-31", toolRuns: 1, shellRuns: 10 }),
      row({ day: "2026-01-31", folder: "/other", shellRuns: 1 }),
      row({ day: "2026-01-31", agent: "claude", shellRuns: 2 }),
    ];
    assert.deepEqual(usageTable(rows, (name) => name).split("\n"), [
      "day         agent     runs by our tools  runs in the shell",
      "2026-01-30  opencode                  3                  0",
      "2026-01-31  opencode                  1                 11",
      "2026-01-31  claude                    0                  2",
      "all         opencode                  4                 11",
    ]);
  });
});
