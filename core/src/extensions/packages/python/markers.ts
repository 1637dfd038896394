import type { Machine } from "../machine.js";
import { compareReleases } from "./pep440-version.js";

/** Values of the variables in PEP 508 markers. */
type MarkerValues = Readonly<Record<string, string>>;

export function markerValues({ platform, arch }: Machine, pythonVersion: string): MarkerValues {
  const isMac = platform === "darwin";
  const isWindows = platform === "win32";
  const arm = isMac ? "arm64" : isWindows ? "ARM64" : "aarch64";
  return {
    python_version: pythonVersion.split(".").slice(0, 2).join("."),
    python_full_version: pythonVersion,
    implementation_version: pythonVersion,
    sys_platform: platform,
    platform_system: isMac ? "Darwin" : isWindows ? "Windows" : "Linux",
    os_name: isWindows ? "nt" : "posix",
    platform_machine: arch === "arm64" ? arm : arch === "x64" ? (isWindows ? "AMD64" : "x86_64") : arch,
    platform_python_implementation: "CPython",
    implementation_name: "cpython",
    extra: "",
  };
}

/** Evaluates a PEP 508 marker. Invalid markers are treated as true. */
export function markerHolds(marker: string, values: MarkerValues): boolean {
  const tokens = marker.slice(0, 4_000).match(/\(|\)|"[^"]*"|'[^']*'|[<>=!~]=?=?|[\w.]+/g) ?? [];
  let at = 0;
  const value = (): string => {
    const token = tokens[at++] ?? "";
    return /^["']/.test(token) ? token.slice(1, -1) : (values[token.replaceAll(".", "_")] ?? "");
  };
  const atom = (depth: number): boolean => {
    if (tokens[at] === "(" && depth < 50) {
      at++;
      const inner = either(depth + 1);
      at++;
      return inner;
    }
    const isVersion = [tokens[at], tokens[at + 2]].some((one) => /version$/.test(one ?? ""));
    const left = value();
    const negated = tokens[at] === "not" ? (at++, true) : false;
    const operator = tokens[at++] ?? "";
    const right = value();
    return negated !== holds(left, operator, right, isVersion);
  };
  const both = (depth: number): boolean => {
    let result = atom(depth);
    while (tokens[at] === "and") {
      at++;
      const next = atom(depth);
      result &&= next;
    }
    return result;
  };
  const either = (depth: number): boolean => {
    let result = both(depth);
    while (tokens[at] === "or") {
      at++;
      const next = both(depth);
      result ||= next;
    }
    return result;
  };
  return tokens.length === 0 || either(0);
}

function holds(left: string, operator: string, right: string, isVersion: boolean): boolean {
  if (operator === "in") return right.includes(left);
  const order = isVersion
    ? compareReleases(left, right.replace(/\.\*$/, ""))
    : left < right
      ? -1
      : left > right
        ? 1
        : 0;
  const isWild = isVersion && right.endsWith(".*");
  const isSame = isWild ? `${left}.`.startsWith(right.slice(0, -1)) : order === 0;
  switch (operator) {
    case "==":
    case "===":
      return isSame;
    case "!=":
      return !isSame;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    case "~=":
      return order >= 0 && left.startsWith(right.replace(/\.\d+$/, ""));
    default:
      return true;
  }
}
