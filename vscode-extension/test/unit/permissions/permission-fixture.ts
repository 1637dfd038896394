import { Logger } from "@symposium-dev/core";
import { EditPlaces } from "../../../src/acp/edit-places.js";
import { type Bypass, Permissions } from "../../../src/features/permissions/permissions.js";
import { PermissionStore, type Storage } from "../../../src/features/permissions/permission-store.js";
import { WaitingRequests } from "../../../src/features/permissions/waiting-requests.js";

/** A memento in memory that keeps what JSON keeps, as the editor's does. */
export class MemoryStorage implements Storage {
  readonly #values = new Map<string, string>();

  get(key: string): unknown {
    const text = this.#values.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  update(key: string, value: unknown): Promise<void> {
    this.#values.set(key, JSON.stringify(value));
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

/** The permissions feature with everything around it in memory. */
export class PermissionFixture {
  readonly workspace = new MemoryStorage();
  readonly global = new MemoryStorage();
  readonly store = new PermissionStore(this.workspace, this.global, () => 1_000);
  readonly bypass = new MemoryBypass();
  readonly comments: string[] = [];
  /** The files that there are, by path. */
  readonly texts = new Map<string, string>();
  readonly totals: number[] = [];
  readonly waiting = new WaitingRequests({ changed: (total) => this.totals.push(total) });
  readonly permissions = new Permissions({
    store: this.store,
    bypass: this.bypass,
    waiting: this.waiting,
    places: new EditPlaces((path) => Promise.resolve(this.texts.get(path) ?? null)),
    logger: Logger.silent,
    sendComment: (_session, text) => this.comments.push(text),
  });
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
