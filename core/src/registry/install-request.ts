import { valid } from "semver";
import type { InstallPlan } from "./install-plan.js";
import { parseNpmPackage, parsePythonPackage } from "./install-package.js";
import { type InstalledVersion } from "./install-state.js";

/** What a plan asks for, apart from how it is started. */
export interface InstallRequest {
  /** Kind, package or address, and program: with another source the same version is something else. */
  readonly source: string;
  /** The only version that will do. */
  readonly exact?: string;
  /** The range or tag that will do. With neither of the two, whatever is there will do. */
  readonly wanted?: string;
}

/** Never fails: a package that cannot be read is found out when it is installed. */
export function installRequest(plan: InstallPlan): InstallRequest {
  switch (plan.kind) {
    case "npm": {
      const request = parseNpmPackage(plan.package);
      if ("kind" in request) return { source: sourceText("npm", plan.package, plan.program) };
      return { source: sourceText("npm", request.name, plan.program), ...asked(request.wanted) };
    }
    case "pip": {
      const request = parsePythonPackage(plan.package);
      if ("kind" in request) return { source: sourceText("pip", plan.package, plan.program) };
      const source = sourceText("pip", request.packageName, plan.program);
      const exact = /^===?\s*([^*,\s]+)$/.exec(request.specifier)?.[1];
      if (exact !== undefined) return { source, exact };
      return request.isFloating ? { source } : { source, wanted: request.specifier };
    }
    case "cargo":
      return { source: sourceText("cargo", plan.crate, plan.program), ...asked(plan.version) };
    case "archive":
      return { source: sourceText("archive", plan.url, plan.program), exact: plan.version };
  }
}

/** Whether `installed` is what is asked for, so that nothing has to be fetched. */
export function isSatisfied({ source, exact, wanted }: InstallRequest, installed: InstalledVersion): boolean {
  if (installed.source !== source) return false;
  return exact === undefined ? wanted === installed.wanted : exact === installed.version;
}

function sourceText(kind: InstallPlan["kind"], name: string, program: string | undefined): string {
  return program === undefined ? `${kind} ${name}` : `${kind} ${name} ${program}`;
}

function asked(wanted: string | undefined): { readonly exact?: string; readonly wanted?: string } {
  if (wanted === undefined) return {};
  const exact = valid(wanted);
  return exact === null ? { wanted } : { exact };
}
