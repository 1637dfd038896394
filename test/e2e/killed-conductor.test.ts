import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { agentText } from "../support/scripted-programs.js";
import { configFolderOf, StartedCommand } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";

const chunkText = /"sessionUpdate":"agent_message_chunk".*?"text":"(\d+)\b/;

/** The numbers of the pieces of an answer, in order. */
function numbersIn(texts: readonly string[]): readonly number[] {
  return texts.flatMap((text) => {
    const number = chunkText.exec(text)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

describe("a conversation whose conductor is killed", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  for (const shown of [1, 40, 700, 9_000]) {
    it(`has everything that the editor was shown, killed when that were ${shown} pieces of an answer or more`, async () => {
      const command = await StartedCommand.start(scope(), ["run-with", "--agent", agentText()]);
      const { client, folder } = command;
      const stored = async (): Promise<string[]> => {
        const sessions = join(configFolderOf(folder), "sessions");
        const [file] = (await readdir(sessions).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
        return file === undefined ? [] : (await readFile(join(sessions, file), "utf8")).split("\n");
      };
      const sessionId = await client.newSession();
      await client.prompt(sessionId, "say hello");
      await until(stored, (lines) => lines.some((line) => line.includes('"end":')));
      const before = client.peer.received.length;
      const texts = (): readonly string[] => client.peer.received.slice(before).map(({ params }) => params?.text ?? "");
      client.openPrompt(sessionId, "stream 60000 60");
      while (client.peer.received.length < before + shown) await new Promise((resolve) => setImmediate(resolve));
      command.signal("SIGKILL");
      await command.ended();
      const seen = numbersIn(texts());
      assert.ok(seen.length >= shown && seen.length < 60_000, `${seen.length} were shown`);
      const lines = await stored();
      const torn = lines.pop();
      const kept = numbersIn(lines);
      assert.ok(
        kept.length >= seen.length,
        `${seen.length} were shown, ${kept.length} are kept before ${String(torn)}`,
      );
      assert.deepEqual(
        kept,
        Array.from({ length: kept.length }, (_one, index) => index + 1),
      );
    });
  }
});
