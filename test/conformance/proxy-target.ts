import type { WireDialectName } from "@symposium-dev/core/testing";
import { dialects, proxyText } from "../support/scripted-programs.js";
import { conducted, nested, type Target } from "./target.js";

/** A chain of proxies that sign with their names; one of them shouts. */
interface ProxyTarget extends Target {
  /** In the order of the chain. */
  readonly names: readonly string[];
}

const names = ["first", "second", "third"] as const;

const signing = (dialect: WireDialectName, name: (typeof names)[number]): string =>
  proxyText(dialect, "--name", name, ...(name === "second" ? ["--shout"] : []));

function trio(
  title: string,
  [first, second, third]: readonly [WireDialectName, WireDialectName, WireDialectName],
): ProxyTarget {
  const proxies = [signing(first, "first"), signing(second, "second"), signing(third, "third")];
  return { ...conducted(title, proxies), names };
}

export const proxyTargets: readonly ProxyTarget[] = [
  ...dialects.map((dialect) => trio(`3 named ${dialect} proxies`, [dialect, dialect, dialect])),
  trio("named current, mid and legacy proxies", ["current", "mid", "legacy"]),
  {
    ...conducted("a named proxy before a conductor with two", [
      signing("mid", "first"),
      nested(signing("legacy", "second"), signing("current", "third")),
    ]),
    names,
  },
];
