import assert from "node:assert/strict";
import { Json, Outcome } from "@symposium-dev/core";
import { RecordingPeer } from "@symposium-dev/core/testing";
import { conductorWords } from "./conductor-command.js";
import { objectOf, stringOf } from "./json.js";
import { RawClient } from "./raw-client.js";
import type { RunFolder } from "./run-folder.js";
import { commandEnvironment } from "./started-command.js";

/** A client of the host, whose questions the test answers. */
export class HostWindow {
  readonly client: RawClient;
  readonly peer: RecordingPeer;

  /** `permission` is the answer to each permission request; by default, the test answers. `env` is added to the command's. */
  constructor(
    private readonly folder: RunFolder,
    agent: string,
    permission?: string,
    env: Readonly<Record<string, string>> = {},
  ) {
    this.peer = new RecordingPeer({
      "fs/read_text_file": () => Outcome.errorJson(Json.of({ code: -32002, message: "Resource not found" })),
      "session/request_permission": () => permission && { outcome: { outcome: "selected", optionId: permission } },
    });
    const words = [...conductorWords, "run-with", "--host", "--agent", agent];
    this.client = new RawClient({ words, env: { ...commandEnvironment(folder), ...env }, cwd: folder.workspace });
    this.client.peer = this.peer;
  }

  async open(): Promise<string> {
    await this.client.initialize();
    const { value } = await this.client.request("session/new", { cwd: this.folder.workspace, mcpServers: [] });
    return stringOf(objectOf(value)["sessionId"]);
  }

  async load(sessionId: string): Promise<void> {
    await this.client.initialize();
    const params = { sessionId, cwd: this.folder.workspace, mcpServers: [] };
    const { isError, text } = await this.client.request("session/load", params);
    assert.equal(isError, false, text);
  }

  async prompt(sessionId: string, text: string): Promise<unknown> {
    const { value } = await this.client.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    return value;
  }

  /** The updates with a message, a call or a plan, in order. */
  get shown(): readonly unknown[] {
    return this.peer.updates.filter(({ sessionUpdate }) => !/_(?:update|commands)$/.test(stringOf(sessionUpdate)));
  }

  /** Resolves when the window is asked. */
  asked(): Promise<unknown> {
    return this.peer.waitFor("session/request_permission");
  }

  answer(optionId: string): void {
    this.peer.open[0]?.reply(Outcome.of({ outcome: { outcome: "selected", optionId } }));
  }
}
