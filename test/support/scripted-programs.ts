import { join } from "node:path";
import { type WireDialectName, wireDialects } from "@symposium-dev/core/testing";
import { shellWords } from "./conductor-command.js";
import { repositoryRoot } from "./repository.js";

const programs = join(repositoryRoot, "core", "dist", "testing", "node");

/** The generations of proxies, oldest first. */
export const dialects: readonly WireDialectName[] = Object.keys(wireDialects).filter(
  (name): name is WireDialectName => name in wireDialects,
);

/** The scripted agent as a program. */
export function agentWords(...options: readonly string[]): readonly string[] {
  return ["node", join(programs, "agent-main.js"), ...options];
}

/** The same in shell words. */
export function agentText(...options: readonly string[]): string {
  return shellWords(agentWords(...options));
}

/** A scripted proxy as a program, in shell words. */
export function proxyText(dialect: WireDialectName, ...options: readonly string[]): string {
  return shellWords(["node", join(programs, "proxy-main.js"), "--dialect", dialect, ...options]);
}
