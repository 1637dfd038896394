import { percentile } from "../statistics.js";
import { treeMemory } from "../process-memory.js";
import { survivingProcesses } from "../../support/surviving-processes.js";
import type { IdeLane, IdeQuestion, IdeSubject } from "./ide-lane.js";

/** Measured figures of one lane. Figures that couldn't be measured are absent. */
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

/** Environment of a lane's processes, and ways to recognize them. */
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

/**
 * Starts a lane and asks until the definition is right. `ms` is undefined if it never is. Counts and ends processes that still run after
 * `graceMs`. Throws if the lane doesn't start, or ends while it is asked.
 */
export async function firstDefinition(
  lane: IdeLane,
  surroundings: IdeSurroundings,
  graceMs: number,
): Promise<{ readonly ms: number | undefined; readonly left: number }> {
  const start = performance.now();
  try {
    await using subject = await lane.open(surroundings.env);
    const isRight = await asksUntilRight(subject, "definition", start);
    const ms = isRight ? performance.now() - start : undefined;
    subject.endInput();
    return { ms, left: (await survivingProcesses(surroundings.marker, graceMs)).size };
  } finally {
    await endSurvivors(surroundings.marker);
  }
}

/**
 * Asks every lane in turn, call by call, so that what else the machine does burdens all alike. A lane that fails is left
 * out, and `onFailure` hears why.
 */
export async function warmFigures(
  lanes: readonly IdeLane[],
  surroundingsOf: (lane: IdeLane) => IdeSurroundings,
  calls: number,
  onFailure: (lane: IdeLane, failure: unknown) => void,
): Promise<readonly IdeFigures[]> {
  const open: OpenLane[] = [];
  const working = new Set<OpenLane>();
  const eachWorking = async (use: (one: OpenLane) => Promise<void>): Promise<void> => {
    for (const one of working) {
      await use(one).catch((failure: unknown) => {
        working.delete(one);
        onFailure(one.lane, failure);
      });
    }
  };
  try {
    for (const lane of lanes) {
      try {
        const subject = await lane.open(surroundingsOf(lane).env);
        const one = { lane, subject, times: { definition: [], references: [], symbols: [] }, bytes: 0 };
        open.push(one);
        working.add(one);
      } catch (failure) {
        onFailure(lane, failure);
      }
    }
    await eachWorking(async ({ subject }) => {
      for (const question of questions) await asksUntilRight(subject, question, performance.now());
    });
    for (let call = 0; call < calls; call++) await eachWorking(askOnce);
    return await Promise.all(
      [...working].map(async ({ lane, subject, times, bytes }) => ({
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

/** A lane that runs, and what was measured of it. */
interface OpenLane {
  readonly lane: IdeLane;
  readonly subject: IdeSubject;
  readonly times: Readonly<Record<IdeQuestion, number[]>>;
  /** Of the last answer to references. */
  bytes: number;
}

async function askOnce(one: OpenLane): Promise<void> {
  for (const question of questions) {
    const start = performance.now();
    const { text, isRight } = await one.subject.ask(question);
    if (isRight) one.times[question].push(performance.now() - start);
    if (question === "references") one.bytes = Buffer.byteLength(text);
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
