import { applyChange, type Item, type Transcript } from "../../../protocol/index.js";

const notAnswered = "Not answered: the window was closed";

/** Ends what a closed window has left open in a transcript, so that nothing in it waits for an agent that is gone. */
export function settleTranscript(transcript: Transcript, now: number): void {
  const wasRunning = transcript.state.turnStartedAt !== undefined;
  for (const item of [...transcript.items]) {
    const settled = settle(item, now);
    if (settled !== item) applyChange(transcript, { op: "put", item: settled });
  }
  for (const [id, terminal] of transcript.terminals) {
    if (!terminal.exit) transcript.terminals.set(id, { ...terminal, exit: { code: null, signal: null } });
  }
  if (wasRunning) {
    const item = { kind: "turn-end", id: crypto.randomUUID(), stopReason: "interrupted" } as const;
    applyChange(transcript, { op: "put", item });
  }
  applyChange(transcript, { op: "tab", patch: { phase: "ready", turnStartedAt: null, waiting: 0 } });
}

function settle(item: Item, now: number): Item {
  switch (item.kind) {
    case "permission":
      return item.answer ? item : { ...item, answer: { label: notAnswered } };
    case "elicitation":
      return item.answer ? item : { ...item, answer: { action: "cancel", summary: notAnswered } };
    case "authentication":
      return item.state === "waiting" || item.state === "running" ? { ...item, state: "failed" } : item;
    case "tool":
      return item.status === "pending" || item.status === "in_progress"
        ? { ...item, status: "cancelled", endedAt: now }
        : item;
    case "thought":
      return item.endedAt === undefined ? { ...item, endedAt: item.startedAt } : item;
    case "notice": {
      if (!item.progress) return item;
      const { progress: _progress, ...rest } = item;
      return rest;
    }
    default:
      return item;
  }
}
