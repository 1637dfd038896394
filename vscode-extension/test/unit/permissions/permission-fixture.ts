import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "@symposium-dev/core";
import { LastingAnswers } from "@symposium-dev/core/node";
import { EditPlaces } from "../../../src/acp/edit-places.js";
import { type Bypass, Permissions } from "../../../src/features/permissions/permissions.js";
import { PermissionHistory, type Storage } from "../../../src/features/permissions/permission-history.js";
import { RememberedAnswers } from "../../../src/features/permissions/remembered-answers.js";
import { WaitingRequests } from "../../../src/features/permissions/waiting-requests.js";
import { RecordingSession } from "./recording-session.js";

/** A memento in memory that keeps what JSON keeps, as the editor's does. */
export class MemoryStorage implements Storage {
  readonly #values = new Map<string, string>();

  get(key: string): unknown {
    const text = this.#values.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  update(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, JSON.stringify(value));
    return Promise.resolve();
  }
}

class MemoryBypass implements Bypass {
  readonly agentIds: string[] = [];

  has(agentId: string): boolean {
    return this.agentIds.includes(agentId);
  }

  add(agentId: string): Promise<void> {
    this.agentIds.push(agentId);
    return Promise.resolve();
  }
}

/** The permissions feature with everything around it in memory, but for a guard.jsonc of its own. */
export class PermissionFixture implements AsyncDisposable {
  /** The folder of guard.jsonc, which is there when something is in it. */
  readonly config = join(tmpdir(), `permissions-${randomUUID()}`);
  readonly guardFile = join(this.config, "guard.jsonc");
  readonly workspace = new MemoryStorage();
  readonly history = new PermissionHistory(this.workspace, () => 1_000);
  /** Messages shown to the user. */
  readonly said: string[] = [];
  /** Names of the agents in guard.jsonc, by id. */
  readonly names = new Map([["scripted", "scripted-agent"]]);
  readonly remembered = new RememberedAnswers({
    guard: new LastingAnswers(this.config, homedir()),
    nameOf: (id) => Promise.resolve(this.names.get(id)),
    say: (message) => this.said.push(message),
    now: () => 1_000,
  });
  readonly bypass = new MemoryBypass();
  readonly comments: string[] = [];
  /** The files that there are, by path. */
  readonly texts = new Map<string, string>();
  readonly waiting = new WaitingRequests();
  readonly permissions = new Permissions({
    remembered: this.remembered,
    history: this.history,
    bypass: this.bypass,
    waiting: this.waiting,
    places: new EditPlaces((path) => Promise.resolve(this.texts.get(path) ?? null)),
    logger: Logger.silent,
    sendComment: (_session, text) => this.comments.push(text),
  });

  ask(session: RecordingSession, params: unknown, signal?: AbortSignal): Promise<unknown> {
    return this.permissions.requests["session/request_permission"](session.call(params, signal));
  }

  /** Lets the user allow `params` and remember it; later requests are answered by the rule or not at all. */
  async remember(
    session: RecordingSession,
    params: unknown,
    scope: "session" | "workspace" | "always" = "workspace",
  ): Promise<void> {
    const answer = this.ask(session, params);
    await this.permissions.respond(pressed((await session.openCard()).id, "once", { remember: scope }));
    await answer;
  }

  /** Whether a rule answers; a card that appears is rejected. */
  async isAllowed(session: RecordingSession, params: unknown): Promise<boolean> {
    const answer = this.ask(session, params);
    const card = session.openCard().then(({ id }) => this.permissions.respond(pressed(id, "no")));
    const result = await Promise.race([answer, card.then(() => answer)]);
    return JSON.stringify(result).includes('"optionId":"once"');
  }

  /** The lasting answers, as the file has them. */
  async rules(): Promise<unknown> {
    const text = await readFile(this.guardFile, "utf8").catch(() => '{ "rules": [] }');
    return (JSON.parse(text) as { rules: unknown }).rules;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.config, { recursive: true, force: true });
  }
}

export const agentOptions = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

/** The params of a request to run `command`. */
export function runRequest(command: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  const toolCall = { toolCallId: "call", title: command, kind: "execute", rawInput: { command, ...more } };
  return { sessionId: "session-1", toolCall, options: agentOptions };
}

/** The params of a request to change a file. */
export function editRequest(path: string): unknown {
  const content = [{ type: "diff", path, oldText: "a\n", newText: "b\n" }];
  const toolCall = { toolCallId: "call", title: `Edit ${path}`, kind: "edit", locations: [{ path }], content };
  return { sessionId: "session-1", toolCall, options: agentOptions };
}

/** The message of a button. */
export function pressed(
  approvalId: string,
  optionId: string,
  more: { bypassAll?: boolean; remember?: "session" | "workspace" | "always"; comment?: string } = {},
) {
  const outcome = { outcome: "selected", optionId } as const;
  return { approvalId, response: { outcome }, bypassAll: false, ...more };
}

/** The feature, and a session in a folder with an empty `src`. */
interface PermissionPlace {
  readonly folder: string;
  readonly fixture: PermissionFixture;
  readonly session: RecordingSession;
}

/** Makes a place for each test of a suite, which `take` gets, and removes it after the test. */
export function withPermissions(take: (place: PermissionPlace) => void): void {
  let place: PermissionPlace;
  beforeEach(async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "permissions-")));
    await mkdir(join(folder, "src"));
    place = { folder, fixture: new PermissionFixture(), session: new RecordingSession([folder]) };
    take(place);
  });
  afterEach(async () => {
    await place.fixture[Symbol.asyncDispose]();
    await rm(place.folder, { recursive: true });
  });
}
