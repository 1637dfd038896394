import assert from "node:assert/strict";
import { SparkleMemory } from "../../../src/extensions/sparkle/memory.js";
import { parseSparkleOptions, sparkleToolNames } from "../../../src/extensions/sparkle/sparkle-options.js";
import { sparkleServer } from "../../../src/extensions/sparkle/sparkle-server.js";
import { Json } from "../../../src/base/rpc/json.js";
import { remembered, SparkleInMemory } from "./sparkle-fixture.js";

type Call = (tool: string, args?: unknown) => Promise<string>;

/** Calls tools of one session; failures begin with `FAILED `. */
function session(services: SparkleInMemory, options: unknown = {}): Call {
  const server = sparkleServer(new SparkleMemory(services, "/w/"), parseSparkleOptions(options), "1");
  return async (name, args = {}) => {
    const context = { signal: new AbortController().signal, notify: () => undefined };
    const { json } = await server.call("tools/call", Json.of({ name, arguments: args }), context);
    const result = json.value as { content?: { text: string }[]; isError?: boolean; message?: string };
    return `${result.isError === true ? "FAILED " : ""}${result.content?.[0]?.text ?? String(result.message)}`;
  };
}

const checkpoint = { working_memory: { focus: "the lexer", saved: "never" }, checkpoint_content: "Did things." };

describe("Sparkle's tools", () => {
  it("are those that the options name", async () => {
    const listed = async (options: unknown): Promise<string[]> => {
      const server = sparkleServer(new SparkleMemory(new SparkleInMemory(), "/w"), parseSparkleOptions(options), "1");
      const context = { signal: new AbortController().signal, notify: () => undefined };
      const { json } = await server.call("tools/list", undefined, context);
      return (json.value as { tools: { name: string }[] }).tools.map(({ name }) => name);
    };
    assert.deepEqual((await listed({})).sort(), [...sparkleToolNames].sort());
    assert.deepEqual(await listed({ tools: ["load_evolution"] }), ["load_evolution"]);
  });

  it("write nothing while they only read", async () => {
    const services = new SparkleInMemory();
    const call = session(services);
    const answers = [
      await call("fetch_profile_data"),
      await call("load_evolution"),
      await call("read_working_memory"),
      await call("list_checkpoints"),
      await call("read_checkpoint"),
    ];
    assert.match(
      answers.join("\n"),
      /Nothing has been saved.*Nothing has been saved.*is empty.*has no checkpoints.*FAILED/s,
    );
    assert.deepEqual([...services.home.files, ...services.space.files], []);
  });

  it("save a checkpoint and add to the working memory", async () => {
    const services = new SparkleInMemory({}, remembered.space);
    const call = session(services);
    assert.match(
      await call("session_checkpoint", checkpoint),
      /^Saved \/w\/\.sparkle-space\/checkpoints\/checkpoint-2026/,
    );
    assert.equal(
      await call("read_checkpoint"),
      '# Checkpoint 2026-01-02T03:04:05Z\n\nDid things.\n\n## Working memory\n\n```json\n{\n  "focus": "the lexer",\n  "saved": "never"\n}\n```\n',
    );
    assert.equal(
      await call("read_working_memory"),
      "- saved 2026-01-02T03:04:05Z\n  focus: the lexer\n- saved 2026-01-01T00:00:00Z\n  focus: the parser",
    );
    assert.equal(await call("list_checkpoints"), "checkpoint-2026-01-02T03-04-05Z.md");
  });

  it("leave a broken working memory alone, say so, and keep the checkpoint", async () => {
    const services = new SparkleInMemory({}, { "working-memory.jsonc": "{ oops" });
    const answer = await session(services)("session_checkpoint", checkpoint);
    assert.match(answer, /^Saved .*\nworking-memory\.jsonc was not changed.*line 1/);
    assert.equal(services.space.files.get("working-memory.jsonc"), "{ oops");
    assert.match(await session(services)("read_working_memory"), /^FAILED .*JSON with comments/);
  });

  it("move the oldest of many checkpoints to the archive", async () => {
    const old = Array.from({ length: 100 }, (_, n) => [
      `checkpoints/checkpoint-2025-01-01T00-00-${String(n).padStart(3, "0")}Z.md`,
      `old ${n}\n`,
    ]);
    const services = new SparkleInMemory({}, Object.fromEntries(old) as Record<string, string>);
    const call = session(services);
    assert.match(await call("session_checkpoint", checkpoint), /Oldest checkpoints moved to archive.*: 1\./);
    assert.match(services.space.files.get("archive/checkpoints-2026.md") ?? "", /\nold 0\n/);
    assert.equal(
      await call("read_checkpoint", { name: "checkpoint-2025-01-01T00-00-000Z.md" }).then((text) => text.slice(0, 6)),
      "FAILED",
    );
    assert.equal((await call("list_checkpoints")).split("\n").length, 100);
  });

  it("offer the line for .gitignore once, and add it only when they are asked to", async () => {
    const services = new SparkleInMemory();
    services.ignore = [{ below: "", text: "target/" }];
    const call = session(services);
    assert.match(await call("session_checkpoint", checkpoint), /Ask the user.*"\.sparkle-space\/"/);
    assert.doesNotMatch(await call("session_checkpoint", checkpoint), /gitignore/);
    assert.deepEqual(services.ignoredLines, []);
    assert.equal(await call("ignore_sparkle_space"), 'Added ".sparkle-space/" to /w//.gitignore.');
    services.ignore = [{ below: "", text: ".sparkle-space/" }];
    assert.match(await call("ignore_sparkle_space"), /already ignores/);
    services.ignore = undefined;
    assert.match(await call("ignore_sparkle_space"), /not in a git work tree/);
    assert.deepEqual(services.ignoredLines, [".sparkle-space/"]);
  });

  it("do not offer a line that is there already", async () => {
    const services = new SparkleInMemory();
    services.ignore = [{ below: "", text: ".sparkle-space/" }];
    assert.doesNotMatch(await session(services)("session_checkpoint", checkpoint), /gitignore/);
  });

  it("keep each kind of insight in its own file, once", async () => {
    const services = new SparkleInMemory();
    const call = session(services);
    const save = (insight_type: string): Promise<string> =>
      call("save_insight", { insight_type, content: "Test first.", tags: ["tdd"] });
    assert.equal(await save("PatternAnchor"), "Kept in ~/.sparkle/pattern-anchors.md.");
    await save("CollaborationEvolution");
    await save("WorkspaceInsight");
    assert.match(await save("PatternAnchor"), /already says this/);
    assert.deepEqual(
      [...services.home.files.keys()],
      ["pattern-anchors.md", "collaboration-evolution.md", "workspace-map.md"],
    );
    assert.match(services.home.files.get("workspace-map.md") ?? "", /Test first\.\n\nWorkspace: \/w\nTags: tdd\n$/);
    assert.equal(services.home.files.get("pattern-anchors.md")?.match(/Test first/g)?.length, 1);
    assert.match(await call("load_evolution"), /^- 2026-01-02: Test first\.\n {2}Tags: tdd$/);
  });

  it("keep a file of insights bounded, with every entry in it or in the archive", async () => {
    const services = new SparkleInMemory();
    const call = session(services);
    for (let n = 0; n < 12; n++) {
      await call("save_insight", { insight_type: "PatternAnchor", content: `anchor ${n} ${"x".repeat(7000)}` });
    }
    const kept = services.home.files.get("pattern-anchors.md") ?? "";
    const archived = services.home.files.get("archive/pattern-anchors-2026.md") ?? "";
    assert.ok(kept.length <= 64 * 1024);
    assert.match(kept, /> \d older entries are in archive/);
    const all = [...`${archived}${kept}`.matchAll(/^anchor (\d+)/gm)].map(([, n]) => Number(n));
    assert.deepEqual(all, [...Array(12).keys()]);
  });

  it("refuse what is too large, blank or of an unknown kind, and write nothing", async () => {
    const services = new SparkleInMemory();
    const call = session(services);
    const refused = [
      await call("save_insight", { insight_type: "PatternAnchor", content: "x".repeat(9000) }),
      await call("save_insight", { insight_type: "PatternAnchor", content: " " }),
      await call("save_insight", { insight_type: "Rumour", content: "x" }),
      await call("session_checkpoint", { working_memory: "text", checkpoint_content: "x" }),
      await call("session_checkpoint", { working_memory: { x: "x".repeat(20_000) }, checkpoint_content: "x" }),
      await call("update_collaborator_profile", { content: "x".repeat(20_000) }),
    ];
    assert.ok(
      refused.every((answer) => answer.startsWith("FAILED ")),
      refused.join("\n"),
    );
    assert.deepEqual([...services.home.files, ...services.space.files], []);
  });

  it("read no file that is not a checkpoint", async () => {
    const services = new SparkleInMemory({}, { ...remembered.space, "checkpoints/secret.txt": "s" });
    for (const name of ["../working-memory.jsonc", "secret.txt", "/etc/passwd"]) {
      assert.match(await session(services)("read_checkpoint", { name }), /^FAILED There is no checkpoint/);
    }
  });
});

describe("Sparkle's profile", () => {
  it("is begun with a heading and a hint for people", async () => {
    const services = new SparkleInMemory();
    assert.equal(
      await session(services)("update_collaborator_profile", { content: "Likes tests." }),
      "Wrote ~/.sparkle/collaborator-profile.md.",
    );
    assert.match(
      services.home.files.get("collaborator-profile.md") ?? "",
      /^# Collaborator profile\n\n<!-- .* -->\n\nLikes tests\.\n$/,
    );
  });

  it("is not replaced by a session that has not seen what stands there", async () => {
    const services = new SparkleInMemory(remembered.home);
    const [one, other] = [session(services), session(services)];
    assert.match(await one("update_collaborator_profile", { content: "A" }), /^FAILED .*Prefers small commits/s);
    assert.match(await one("update_collaborator_profile", { content: "A" }), /^Wrote/);
    assert.match(await other("fetch_profile_data"), /\nA\n/);
    assert.match(await one("update_collaborator_profile", { content: "A and B" }), /^Wrote/);
    assert.match(await other("update_collaborator_profile", { content: "A and C" }), /^FAILED .*A and B/s);
    assert.match(services.home.files.get("collaborator-profile.md") ?? "", /A and B\n$/);
  });

  it("keeps every earlier version in the archive", async () => {
    const services = new SparkleInMemory(remembered.home);
    const call = session(services);
    assert.match(await call("fetch_profile_data"), /<!-- Edit it\. -->.*Test|failing test first/s);
    await call("update_collaborator_profile", { content: "New." });
    assert.match(services.home.files.get("archive/collaborator-profile-2026.md") ?? "", /Prefers small commits\./);
  });
});

describe("Sparkle's prompts", () => {
  it("offer the commands and the memory to clients that only speak MCP", async () => {
    const services = new SparkleInMemory(remembered.home);
    const server = sparkleServer(new SparkleMemory(services, "/w"), parseSparkleOptions({}), "1");
    const context = { signal: new AbortController().signal, notify: () => undefined };
    const get = async (name: string, args = {}): Promise<string> => {
      const { json } = await server.call("prompts/get", Json.of({ name, arguments: args }), context);
      return (json.value as { messages: { content: { text: string } }[] }).messages[0]?.content.text ?? "";
    };
    assert.match(await get("remember"), /Prefers small commits/);
    assert.match(await get("checkpoint", { words: "the API" }), /session_checkpoint.*the API/s);
    assert.match(await get("insight"), /save_insight/);
    assert.match(await get("meta_moment"), /save_insight/);
  });
});
