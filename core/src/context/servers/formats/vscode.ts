import { asObject, type Members } from "../../../base/rpc/json.js";
import type { ServerInput } from "../../../settings/user-server.js";
import { readCommonEntry } from "./common-entry.js";
import { ownMember } from "./entry.js";
import { type EntryGroup, type Format, groupAt } from "./format.js";

/** Format of VS Code's `mcp.json`, with the members `servers`, `inputs` and, in portable files, `mcpServers`. */
export const vscode: Format = {
  dialect: "editor",
  groups: (members) => [...groupAt("servers")(members), ...groupAt("mcpServers")(members)],
  inputs: (members) => inputsOf(ownMember(members, "inputs")),
  read(entry) {
    entry.skip("dev", "sandboxEnabled", "sandbox");
    if (entry.raw("sandboxEnabled") === true) entry.note("It doesn't run in a sandbox here.");
    return readCommonEntry(entry, { urls: { url: "path" } });
  },
};

/** Format of `devcontainer.json`, whose servers VS Code runs inside the container. */
export const devcontainer: Format = {
  ...vscode,
  groups: groupAt("customizations", "vscode", "mcp", "servers"),
  inputs: (members) => {
    const [group]: readonly EntryGroup[] = groupAt("customizations", "vscode", "mcp")(members);
    return inputsOf(ownMember(group?.entries, "inputs"));
  },
};

/** Reads the inputs. Command inputs become questions to the user, since Symposium can't run VS Code commands. */
function inputsOf(value: unknown): readonly ServerInput[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown) => {
    const input = asObject(item);
    const id = ownMember(input, "id");
    if (!input || typeof id !== "string" || id === "") return [];
    const description = ownMember(input, "description");
    const proposed = ownMember(input, "default");
    const options = choicesOf(input);
    return [
      {
        id,
        isSecret: ownMember(input, "password") === true,
        ...(typeof description === "string" && description !== "" && { description }),
        ...(typeof proposed === "string" && proposed !== "" && { default: proposed }),
        ...(options.length > 0 && { options }),
      },
    ];
  });
}

function choicesOf(input: Members): readonly string[] {
  const options = ownMember(input, "options");
  if (!Array.isArray(options)) return [];
  return options
    .map((option: unknown) => (typeof option === "string" ? option : ownMember(asObject(option), "value")))
    .filter((option): option is string => typeof option === "string" && option !== "");
}
