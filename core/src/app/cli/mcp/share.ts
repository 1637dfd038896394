import { invalidArguments } from "../../../base/symposium-error.js";
import { machineKey } from "../../../settings/shared-servers.js";
import { readSoundConfig } from "../../read-user-config.js";
import { chosenMachine } from "../other-machine.js";
import { jsonOption } from "../options.js";
import { sayResult } from "../output.js";
import { keepAnswer, sharedServers } from "../share-servers.js";
import { subcommand } from "../subcommand.js";
import { safeLine } from "../terminal-chat/safe-text.js";

const states = { true: "shared", false: "not shared", undefined: "not asked" };

/** `mcp share MACHINE`: lists or stores which servers agents on another machine may call. */
export const share = subcommand({
  name: "mcp share",
  about:
    "List which of your MCP servers agents on another machine may call. --yes shares the servers, --no doesn't. Applies to new " +
    "connections.",
  arguments: { "<MACHINE>": "the machine, as for --on", "[SERVER...]": "the servers (default: all)" },
  options: { yes: { about: "share the servers" }, no: { about: "don't share the servers" }, ...jsonOption },
  async run({ values, positionals: [on = "", ...given] }) {
    const placement = chosenMachine({ on });
    if (!placement) throw invalidArguments("mcp share: this names no other machine.");
    if (values.yes && values.no) throw invalidArguments("--yes can't be used with --no.");
    const machine = machineKey(placement, process.cwd());
    const answer = values.yes ?? (values.no ? false : undefined);
    const config = await readSoundConfig(answer === undefined ? "go-on" : "reject");
    const known = config ? sharedServers(config, machine) : new Map<string, boolean | undefined>();
    const names = given.length > 0 ? given : [...known.keys()];
    const unknown = names.find((name) => !known.has(name));
    if (unknown !== undefined) {
      const hint = "Run `symposium-acp-agent mcp list` to list the servers.";
      throw invalidArguments(`mcp share: there is no server "${unknown}" to share.`, hint);
    }
    if (answer !== undefined) await keepAnswer(machine, names, answer);
    const servers = names.map((name) => ({ name, isShared: answer ?? known.get(name) }));
    const rows = servers.map(({ name, isShared }) => safeLine(`${name}  ${states[`${isShared}`]}`));
    return sayResult(
      values,
      { machine, servers },
      rows.length === 0 ? "There are no MCP servers to share." : rows.join("\n"),
    );
  },
});
