import type { Command } from "../../settings/command.js";
import type { Finding } from "../doctor/finding.js";

/** An extension as its author has it on disk. */
export interface Target {
  readonly name: string;
  /** What its description came to. */
  readonly findings: readonly Finding[];
  /** How it starts; absent when it cannot be. */
  readonly command?: Command;
}
