import { asObject } from "../../base/rpc/json.js";

/** Counts tool calls, so that often-used tools can be listed without a search. */
export interface ToolUse {
  count(server: string, tool: string): number;
  note(server: string, tool: string): void;
}

/** When a tool reaches this count, all counts of its server are halved, so that old use fades. */
const mostCalls = 64;

export class CountedUse implements ToolUse {
  readonly #servers = new Map<string, Map<string, number>>();

  /** Parses `{SERVER: {TOOL: CALLS}}` and ignores invalid entries. */
  static of(value: unknown): CountedUse {
    const use = new CountedUse();
    for (const [server, tools] of Object.entries(asObject(value) ?? {})) {
      const counts = Object.entries(asObject(tools) ?? {}).filter(
        (entry): entry is [string, number] => Number.isInteger(entry[1]) && Number(entry[1]) > 0,
      );
      use.#servers.set(server, new Map(counts));
    }
    return use;
  }

  /** Returns the format that {@link of} parses. */
  toJSON(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    return Object.fromEntries([...this.#servers].map(([server, counts]) => [server, Object.fromEntries(counts)]));
  }

  count(server: string, tool: string): number {
    return this.#servers.get(server)?.get(tool) ?? 0;
  }

  note(server: string, tool: string): void {
    const counts = this.#servers.get(server) ?? new Map<string, number>();
    this.#servers.set(server, counts);
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
    if (this.count(server, tool) < mostCalls) return;
    for (const [name, count] of counts) {
      if (count < 2) counts.delete(name);
      else counts.set(name, Math.floor(count / 2));
    }
  }
}
