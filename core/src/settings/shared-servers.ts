import { asObject } from "../base/rpc/json.js";
import { type Placement, placementText } from "./placement.js";
import { dictionary, flag } from "./shape.js";
import type { Shape } from "./shape.js";

/** The user's answers whether agents on other machines may call this machine's MCP servers, by machine and server. */
type SharedServers = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

export const sharedServersKey = "sharedServers";

export const noSharedServers: SharedServers = {};

export const sharedServersShape: Shape<SharedServers> = dictionary(
  dictionary(flag("Whether agents on this machine may call the server."), "MCP servers by name."),
  "Your answers whether agents on other machines may call MCP servers of this machine, by machine, such as ssh:HOST, and server.",
);

/** Returns a machine's key in {@link SharedServers}. `folder` is the folder from which the machine is reached. */
export function machineKey(placement: Placement, folder: string): string {
  const text = placementText(placement);
  // A command can depend on the folder, such as `docker compose exec`.
  if (placement.kind === "devcontainer" || placement.kind === "command") return `${text}:${folder}`;
  return placement.kind === "kubernetes" && placement.context !== undefined ? `${text}@${placement.context}` : text;
}

/** Returns the answers about a machine. `setting` is the setting `sharedServers`, not yet validated. */
export function answersFor(setting: unknown, machine: string): ReadonlyMap<string, boolean> {
  const answers = Object.entries(asObject(asObject(setting)?.[machine]) ?? {});
  return new Map(answers.map(([name, isShared]) => [name, isShared === true]));
}
