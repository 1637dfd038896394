import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import type { Item, ItemOf, TabState } from "../../../protocol/index.js";
import type { LogEvent } from "../../../src/features/log/logger.js";

const boundMs = 60_000;

/** API that the extension offers to tests, in addition to its commands. */
interface Api {
  readonly logger: { onLog(listener: (event: LogEvent) => void): { dispose(): void } };
}

function test<Result>(name: string, ...args: unknown[]): Thenable<Result> {
  return vscode.commands.executeCommand<Result>(`symposium.test.${name}`, ...args);
}

/** One tab of the running extension, driven by its test commands. */
export class TabDriver {
  private constructor(readonly tabId: string) {}

  /** Opens a tab with an agent; does not wait for it to start. */
  static async open(agentId: string, tabId: string = crypto.randomUUID()): Promise<TabDriver> {
    await test("simulateNewTab", tabId, agentId);
    return new TabDriver(tabId);
  }

  static tabIds(): Thenable<string[]> {
    return test("getTabs");
  }

  /** Sends what the page would send. */
  static dispatch(message: unknown): Thenable<void> {
    return test("dispatch", message);
  }

  async items<Kind extends Item["kind"]>(kind: Kind): Promise<ItemOf<Kind>[]> {
    const items = await test<Item[]>("getItems", this.tabId);
    return items.filter((item): item is ItemOf<Kind> => item.kind === kind);
  }

  async state(): Promise<TabState | undefined> {
    return test("getState", this.tabId);
  }

  async send(text: string): Promise<void> {
    await test("sendPrompt", this.tabId, text);
  }

  /** Sends a prompt, waits for the end of its turn, and returns what the agent has said. */
  async ask(text: string): Promise<string> {
    const before = (await this.items("turn-end")).length;
    await test("startCapturingResponses", this.tabId);
    await this.send(text);
    await until(async () => (await this.items("turn-end")).length > before);
    const said = await test<string>("getResponse", this.tabId);
    await test("stopCapturingResponses", this.tabId);
    return said;
  }

  async close(): Promise<void> {
    await TabDriver.dispatch({ type: "close-tab", tabId: this.tabId });
  }
}

/** Waits, bounded, until it is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + boundMs; Date.now() < end;) {
    if (await isSo()) return;
    await pause(20);
  }
  assert.fail(`it never came to: ${isSo.toString()}`);
}

/** Makes the scripted agent one of the user's agents, under the id `scripted`. */
export async function offerScriptedAgent(): Promise<void> {
  const program = join(extension().extensionPath, "..", "core", "dist", "testing", "node", "agent-main.js");
  const env = { ELECTRON_RUN_AS_NODE: "1" };
  const scripted = { name: "Scripted", command: process.execPath, args: [program], env };
  await setting("agents", { scripted });
  await setting("extensions", []);
}

/** Takes everything back that tests have set. */
export async function resetSettings(): Promise<void> {
  for (const key of ["agents", "extensions", "agentLogLevel"]) await setting(key, undefined);
}

/** Writes one of the user's settings. */
export async function setting(key: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration("symposium").update(key, value, vscode.ConfigurationTarget.Global);
}

/** The events that the extension logs while `during` runs. */
export async function logged(during: () => PromiseLike<void>): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = [];
  const { logger } = (await extension().activate()) as Api;
  const subscription = logger.onLog((event) => events.push(event));
  try {
    await during();
  } finally {
    subscription.dispose();
  }
  return events;
}

function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension("symposium-dev.symposium");
  assert.ok(found);
  return found;
}
