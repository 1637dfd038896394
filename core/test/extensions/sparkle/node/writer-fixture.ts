import { sparkleServices } from "../../../../src/extensions/sparkle/node.js";
import { SparkleMemory } from "../../../../src/extensions/sparkle/memory.js";

/* One of several processes that write at once. Arguments: HOME WORKSPACE NAME COUNT. Starts writing when it receives input. */
const [home = "", workspace = "", name = "", count = "0"] = process.argv.slice(2);
const memory = new SparkleMemory(sparkleServices(home), workspace);
const { signal } = new AbortController();

process.stdout.write("ready\n");
process.stdin.once("data", () => {
  void (async () => {
    for (let n = 0; n < Number(count); n++) {
      const content = `from ${name} number ${n}. ${"x".repeat(2000)}`;
      await memory.saveInsight({ type: "PatternAnchor", content }, signal);
      await memory.checkpoint({ focus: `${name} ${n}` }, content, signal);
    }
    process.exit(0);
  })();
});
