import { homedir } from "node:os";
import { SymposiumError } from "../../../base/symposium-error.js";
import { probeSandbox } from "../../../guard/node/sandbox/probe.js";
import { configFolder } from "../../../base/node/own-program.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { say } from "../output.js";
import { subcommand } from "../subcommand.js";
import { waitingFor } from "../waiting-line.js";

/** `guard selftest`: tries to escape from a sandbox on this machine. Exits with 1 if an attempt succeeds that should fail. */
export const selftest = subcommand({
  name: "guard selftest",
  about: "Try about 100 ways to leave the sandbox on this machine, and report each. Doesn't touch your files.",
  options: {
    json: { about: "print the attempts as one line of JSON" },
    "print-profile": { about: "print the macOS sandbox rules for this folder instead" },
  },
  async run({ values }) {
    if (values["print-profile"] === true) return printProfile();
    const state = await probeSandbox(configFolder());
    if (!state.isThere) {
      throw new SymposiumError("sandbox-unavailable", `No sandbox is available: ${state.reason}.`, state.remedy);
    }
    const { isAsExpected, selftest: run } = await import("../../../guard/node/sandbox/selftest.js");
    const { packageRows } = await import("./selftest-packages.js");
    const attempts = async () => [...(await run(state)), ...(await packageRows())];
    const rows = await waitingFor("Trying to leave the sandbox", attempts());
    const wrong = rows.filter((row) => !isAsExpected(row));
    if (values.json === true) await say(JSON.stringify(rows));
    else {
      if (state.note !== undefined) await say(`This sandbox is ${state.note}.`);
      for (const { row, what, expected, result, detail } of rows) {
        const word = expected === "listed" ? `${result} (listed)` : result;
        const why =
          result === "broken" || (result === "open" && expected !== "listed") ? `: ${plainText(detail, 300)}` : "";
        await say(`${row.padStart(4)}  ${word.padEnd(14)}  ${what}${why}`);
      }
      const count = (result: string): number => rows.filter((row) => row.result === result).length;
      const open = rows.filter(({ result, expected }) => result === "open" && expected !== "listed").length;
      await say(
        `${rows.length} attempts as ${state.isRoot ? "root" : "an ordinary user"}: ${open} open, ${count("refused")} refused, ` +
          `${count("inside")} without effect outside, ${count("broken")} broken that programs need, ${count("not tried")} not tried. ` +
          '"Listed" marks what a sandbox does not block.',
      );
    }
    return wrong.length === 0 ? 0 : 1;
  },
});

async function printProfile(): Promise<number> {
  const { profileFor } = await import("../../../guard/node/sandbox/seatbelt.js");
  const { text, parameters } = profileFor(process.cwd(), configFolder(), homedir());
  await say(text);
  for (const [name, path] of Object.entries(parameters))
    await say(`; ${name} = ${plainText(JSON.stringify(path), 4_000)}`);
  return 0;
}
