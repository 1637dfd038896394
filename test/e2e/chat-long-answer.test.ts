import assert from "node:assert/strict";
import { agentProgram } from "../bench/lanes.js";
import { peakMemory } from "../bench/process-memory.js";
import { Child } from "../support/child.js";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";

const chunkBytes = 64 * 1024;
const chunks = 16 * 1024;
/** Bytes between two looks at the memory. */
const lookEvery = 32 * 1024 * 1024;
const mostMegabytes = 450;

describe("chat with an answer of 1 GiB", () => {
  const scope = useTestScope();

  for (const output of ["text", "json", "jsonl"]) {
    it(`prints ${output} in bounded memory`, async function () {
      if (process.platform !== "linux") skipBecause(this, "only Linux reports a process's peak memory");
      const folder = scope().use(await createCommandFolder('{ "conversations": { "keep": false } }'));
      const agent = shellWords(["node", agentProgram]);
      const words = [...conductorWords, "chat", "--agent", agent, "--output", output, "--timeout", "600"];
      const chat = scope().use(
        new Child({
          words: [...words, `blocks ${chunks} ${chunkBytes}`],
          env: commandEnvironment(folder),
          cwd: folder.workspace,
        }),
      );
      let [bytes, peak] = [0, 0];
      for await (const chunk of chat.process.stdout) {
        const before = bytes;
        bytes += (chunk as Buffer).length;
        if (before > 0 && Math.floor(before / lookEvery) === Math.floor(bytes / lookEvery)) continue;
        peak = Math.max(peak, (await peakMemory(chat.process.pid ?? 0)) ?? peak);
      }
      assert.match(await chat.exited, /ended with 0$/, chat.stderrTail);
      const leastBytes = output === "json" ? 16 * 1024 * 1024 : chunks * chunkBytes;
      assert.ok(bytes >= leastBytes, `${bytes} bytes`);
      assert.ok(peak > 0 && peak < mostMegabytes, `${peak} MiB`);
    });
  }
});
