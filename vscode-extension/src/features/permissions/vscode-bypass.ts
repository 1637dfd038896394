import * as vscode from "vscode";
import { asObject, objectsOf, stringOf } from "@symposium-dev/core";
import type { Bypass } from "./permissions.js";

/**
 * Bypasses from the user's own settings. Workspace settings are ignored, so that a repository can't lift the permissions of agents that
 * work in it.
 */
export class VsCodeBypass implements Bypass {
  has(agentId: string): boolean {
    return listed().includes(agentId) || entries().some(([id, entry]) => id === agentId && isBypassed(entry));
  }

  async add(agentId: string): Promise<void> {
    if (this.has(agentId)) return;
    await this.#write([...listed(), agentId]);
  }

  /** Ids of the agents in `symposium.bypassPermissions`. Bypasses in `symposium.agents` must be changed in that setting. */
  get agentIds(): readonly string[] {
    return listed();
  }

  async remove(agentId: string): Promise<void> {
    await this.#write(listed().filter((id) => id !== agentId));
  }

  async #write(agentIds: readonly string[]): Promise<void> {
    const value = agentIds.length === 0 ? undefined : agentIds;
    await vscode.workspace
      .getConfiguration("symposium")
      .update("bypassPermissions", value, vscode.ConfigurationTarget.Global);
  }
}

function listed(): string[] {
  const value = userSetting("bypassPermissions");
  return Array.isArray(value) ? value.flatMap((id: unknown) => stringOf(id) ?? []) : [];
}

/** `symposium.agents` is a list of entries with an `id`, or an object of entries by id. */
function entries(): [string, unknown][] {
  const value = userSetting("agents");
  if (Array.isArray(value)) return objectsOf(value).map((entry) => [stringOf(entry["id"]) ?? "", entry]);
  return Object.entries(asObject(value) ?? {});
}

function isBypassed(entry: unknown): boolean {
  return asObject(entry)?.["bypassPermissions"] === true;
}

function userSetting(name: string): unknown {
  return vscode.workspace.getConfiguration("symposium").inspect<unknown>(name)?.globalValue;
}
