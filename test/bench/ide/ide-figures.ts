import { percentile } from "../statistics.js";
import { treeMemory } from "../process-memory.js";
import { survivingProcesses } from "../../support/surviving-processes.js";
import type { IdeLane, IdeQuestion, IdeSubject } from "./ide-lane.js";

/** What was measured of one lane; what could not be is absent. */
export interface IdeFigures {
  readonly name: string;
  /** From the start of the process to the first right definition, in ms. */
  readonly first?: number | undefined;
  /** Of one answer, in ms, when everything is warm. */
  readonly warm: Readonly<Partial<Record<IdeQuestion, number>>>;
  readonly referenceBytes?: number | undefined;
  readonly toolListBytes?: number | undefined;
  /** Besides the language server's own, in MiB. */
  readonly memory?: number | undefined;
  /** Processes that run when it should have ended. */
  readonly left?: number | undefined;
}

export const questions: readonly IdeQuestion[] = ["definition", "references", "symbols"];

/** Where the processes of a lane run and how they are told from others. */
export interface IdeSurroundings {
  readonly env: Readonly<Record<string, string>>;
  /** Names a lane's processes in their environment. */
  readonly marker: string;
  readonly serverPrograms: readonly string[];
}

/** No lane is waited for any longer. */
const limitMs = 60_000;
const pauseMs = 10;

/** How long after the end of its input a lane may take to be gone; our adapter stays five seconds in case that another session follows. */
export const endMs = 8_000;

/** Starts a lane and asks until the definition is right; undefined where it never is. What still runs `graceMs` later is counted and ended. */
export async function firstDefinition(
  lane: IdeLane,
  surroundings: IdeSurroundings,
  graceMs: number,
): Promise<{ readonly ms: number | undefined; readonly left: number }> {
  const start = performance.now();
  const subject = await lane.open(surroundings.env);
  try {
    const isRight = await asksUntilRight(subject, "definition", start);
    const ms = isRight ? performance.now() - start : undefined;
    subject.endInput();
    return { ms, left: (await survivingProcesses(surroundings.marker, graceMs)).size };
  } finally {
    await subject[Symbol.asyncDispose]();
    await endSurvivors(surroundings.marker);
  }
}

/** Asks every lane in turn, call by call, so that what else the machine does burdens all alike. */
export async function warmFigures(
  lanes: readonly IdeLane[],
  surroundingsOf: (lane: IdeLane) => IdeSurroundings,
  calls: number,
): Promise<readonly IdeFigures[]> {
  const open: { lane: IdeLane; subject: IdeSubject; times: Record<IdeQuestion, number[]>; bytes: number }[] = [];
  try {
    for (const lane of lanes) {
      const subject = await lane.open(surroundingsOf(lane).env);
      open.push({ lane, subject, times: { definition: [], references: [], symbols: [] }, bytes: 0 });
    }
    for (const { subject } of open) {
      for (const question of questions) await asksUntilRight(subject, question, performance.now());
    }
    for (let call = 0; call < calls; call++) {
      for (const each of open) {
        for (const question of questions) {
          const start = performance.now();
          const { text, isRight } = await each.subject.ask(question);
          if (isRight) each.times[question].push(performance.now() - start);
          if (question === "references") each.bytes = Buffer.byteLength(text);
        }
      }
    }
    return await Promise.all(
      open.map(async ({ lane, subject, times, bytes }) => ({
        name: lane.name,
        warm: Object.fromEntries(
          questions.filter((one) => times[one].length > calls / 2).map((one) => [one, percentile(times[one], 50)]),
        ),
        referenceBytes: bytes,
        toolListBytes: subject.toolListBytes,
        memory: await treeMemory(subject.pid, ...surroundingsOf(lane).serverPrograms),
      })),
    );
  } finally {
    await Promise.all(open.map(({ subject }) => subject[Symbol.asyncDispose]()));
    for (const { lane } of open) await endSurvivors(surroundingsOf(lane).marker);
  }
}

async function asksUntilRight(subject: IdeSubject, question: IdeQuestion, start: number): Promise<boolean> {
  for (;;) {
    if ((await subject.ask(question)).isRight) return true;
    if (performance.now() - start > limitMs) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Ends what has stayed behind. */
async function endSurvivors(marker: string): Promise<void> {
  for (const pid of (await survivingProcesses(marker, 0)).keys()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}
