/** How often tools of servers were called, so that those in use need no search. */
export interface ToolUse {
  count(server: string, tool: string): number;
  /** Counts a call. */
  note(server: string, tool: string): void;
}

/** Once a tool has this many calls, those of all tools of its server are halved: what was used long ago is forgotten. */
const mostCalls = 64;

/** Counts in memory; `load` and `save` are for those who keep them. */
export class CountedUse implements ToolUse {
  readonly #servers = new Map<string, Map<string, number>>();

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
