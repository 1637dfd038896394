import { homedir } from "node:os";
import { join } from "node:path";
import { Place, type Problem } from "../../../base/problem.js";
import { asObject } from "../../../base/rpc/json.js";
import { SymposiumError } from "../../../base/symposium-error.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { readServerFile } from "../../../context/servers/node/read-server-file.js";
import { editUserServers } from "../../../context/servers/node/servers-in-config.js";
import { type HookEvent, hookEvents, type HookGroup, type Hooks, readHooks } from "../../../settings/hooks.js";
import { canonicalJson } from "../../../settings/project/approved-content.js";
import { withItem } from "../../../settings/settings-edit.js";
import { readSoundConfig } from "../../read-user-config.js";
import { say } from "../output.js";
import { subcommand } from "../subcommand.js";

/** `hooks import`: lists the hooks in the user's Claude Code settings, and writes them to config.jsonc with `--all`. */
export const importHooks = subcommand({
  name: "hooks import",
  about:
    "Find the hooks in your Claude Code settings (~/.claude/settings.json), and import them into config.jsonc. Imported hooks run for " +
    "every agent except Claude Code, which runs them itself. Starts nothing and doesn't change Claude Code's settings.",
  options: { all: { about: "import all hooks; without this option, they are only listed" } },
  async run({ values }) {
    const path = join(process.env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude"), "settings.json");
    const read = await readServerFile(path, "json");
    if (read.state === "unreadable") {
      throw new SymposiumError("invalid-config", `${path}: ${read.reason}`, "Fix the file. Nothing was changed.");
    }
    const problems: Problem[] = [];
    const given = read.state === "read" ? asObject(read.value)?.["hooks"] : undefined;
    const found = readHooks(given, new Place(problems, "warning", ["hooks"]));
    const own = (await readSoundConfig())?.hooks ?? {};
    const fresh = entriesOf(found).filter(([event, group]) => !(own[event] ?? []).some((one) => isSame(one, group)));
    const lines = [
      `${fresh.length === 0 ? "No" : fresh.length} hook${fresh.length === 1 ? "" : "s"} to import from ${path}.`,
      ...fresh.map(([event, { matcher, hooks }]) => {
        const commands = hooks.map(({ command, args = [] }) => [command, ...args].join(" "));
        return `${event}${matcher === undefined ? "" : ` (${matcher})`}: ${commands.join("; ")}`;
      }),
      ...problems.map(({ message }) => `Not imported: ${message}`),
    ];
    await say(lines.map((line) => plainText(line, 4_000)).join("\n  "));
    if (values.all !== true) return fresh.length === 0 ? 0 : say("\nImport them with --all.");
    if (fresh.length === 0) return 0;
    const file = await editUserServers((text, name) =>
      fresh.reduce((edited, [event, group]) => withItem(edited, ["hooks", event], { ...group }, name), text),
    );
    return say(`\nImported into ${file}. Agents get them from their next start.`);
  },
});

/** Returns each group with a handler that runs here, marked as Claude Code's. */
function entriesOf(hooks: Hooks): readonly (readonly [HookEvent, HookGroup])[] {
  return hookEvents.flatMap((event) =>
    (hooks[event] ?? []).flatMap((group) =>
      group.hooks.length === 0 ? [] : [[event, { ...group, importedFrom: "claude-code" }] as const],
    ),
  );
}

function isSame(one: HookGroup, other: HookGroup): boolean {
  return canonicalJson({ ...one, importedFrom: "" }) === canonicalJson({ ...other, importedFrom: "" });
}
