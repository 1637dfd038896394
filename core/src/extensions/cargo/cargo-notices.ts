import { BoundedLines } from "../runs/bounded-lines.js";
import { tidyOutput } from "./output-lines.js";

/** An error, warning or note from cargo itself, with its details. */
interface CargoNotice {
  readonly level: "error" | "warning" | "note";
  readonly lines: readonly string[];
}

const blockLength = { head: 60, tail: 120 };
const shownLength = { head: 12, tail: 18 };

/** Parses cargo's own messages during a build. Drops lines that only repeat or count compiler messages. */
export class CargoNotices {
  readonly #notices: CargoNotice[] = [];
  readonly #notCompiled: string[] = [];
  #block: BoundedLines | undefined;

  /** Targets that failed to compile, as `package (target)`. */
  get notCompiled(): readonly string[] {
    return this.#notCompiled;
  }

  /** Notices without duplicates. Errors are last, as cargo prints them. */
  get notices(): readonly CargoNotice[] {
    return this.#notices;
  }

  get errors(): readonly CargoNotice[] {
    return this.#notices.filter(({ level }) => level === "error");
  }

  line(line: string): void {
    if (/^(?:error|warning|note)(?:\[\w+\])?: /.test(line)) {
      const isNoteOfBlock = line.startsWith("note: ") && this.#block !== undefined;
      if (!isNoteOfBlock) this.close();
    }
    if (this.#block === undefined && line.trim() === "") return;
    this.#block ??= new BoundedLines(blockLength.head, blockLength.tail);
    this.#block.push(line);
  }

  /** Ends the current notice; later lines belong to another one. */
  close(): void {
    const block = this.#block;
    this.#block = undefined;
    if (block) this.#add(block.toLines());
  }

  #add(block: readonly string[]): void {
    const [headline = ""] = block;
    const [, target, kind] = /^error: could not compile `(.+?)` \((.+?)\)/.exec(headline) ?? [];
    const cause = exitCause(block);
    if (target !== undefined && kind !== undefined) {
      const unit = `${target} (${kind.replaceAll('"', "")})`;
      this.#notCompiled.push(
        cause === undefined || /^exit (?:status|code): \d+$/.test(cause) ? unit : `${unit}: ${cause}`,
      );
      return;
    }
    if (/^warning: (?:`.+` \(.+\) generated \d+ warnings?|build failed, waiting)/.test(headline)) return;
    if (/^error: \d+ targets? failed:/.test(headline)) return;
    const lines = headline.startsWith("error: failed to run custom build command")
      ? buildScript(block)
      : tidyOutput(block).lines;
    const shown = new BoundedLines(shownLength.head, shownLength.tail).pushAll(lines.map(withoutArguments)).toLines();
    const level = levelOf(headline);
    if (this.#notices.some((notice) => notice.lines.join("\n") === shown.join("\n"))) return;
    this.#notices.push({ level, lines: shown });
  }
}

function levelOf(headline: string): CargoNotice["level"] {
  if (headline.startsWith("warning")) return "warning";
  return headline.startsWith("error") ? "error" : "note";
}

/** Shortens cargo's message about a failed process, which contains all arguments. */
function withoutArguments(line: string): string {
  return line.replace(/(process didn't exit successfully: `\S+) .*` \(/, "$1 …` (");
}

/** Returns how a process ended according to cargo, for example `exit status: 101` or `signal: 9, SIGKILL: kill`. */
export function exitCause(lines: readonly string[]): string | undefined {
  const line = lines.find((text) => /^\s*process didn't exit successfully: `/.test(text));
  return line && (/` \((.+?)\)?$/.exec(line)?.[1] ?? "");
}

/** Shortens a build script failure to headline, exit status and output. Omits the command line and the script's instructions to cargo. */
function buildScript(block: readonly string[]): string[] {
  const name = /`(.+?)(?: \(.*\))?`/.exec(block[0] ?? "")?.[1] ?? "";
  const said = block
    .slice(1)
    .filter((line) => !/^\s*(?:Caused by:|process didn't exit|--- std|cargo::?[\w-]+=)/.test(line));
  const { lines } = tidyOutput(said.map((line) => line.replace(/^ {2}/, "")));
  return [
    `error: the build script of ${name} failed (${exitCause(block) ?? "no exit status"}):`,
    ...lines.filter((line) => line.trim() !== "").map((line) => ` ${line.replace(/^thread '.*?'(?: \(\d+\))? /, "")}`),
  ];
}
