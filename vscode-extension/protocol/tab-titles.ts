import type { TabState } from "./tab.js";

/**
 * Returns a distinct title for each tab. Puts the agent, the folder or a number in front of equal titles, since the start of a title
 * remains visible in a narrow tab.
 */
export function tabTitles(tabs: readonly TabState[]): readonly string[] {
  const counts = new Map<string, number>();
  return tabs.map((tab) => {
    const { title } = tab;
    const same = tabs.filter((one) => one.title === title);
    const isAgentEnough = same.filter((one) => agentOf(one) === agentOf(tab)).length === 1;
    const all = isAgentEnough ? [agentOf] : [agentOf, folderOf];
    const facts = all.filter((fact) => same.some((one) => fact(one) !== fact(tab)));
    const named = [...facts.map((fact) => fact(tab)).filter((text) => text !== ""), title].join(" · ");
    const count = (counts.get(named) ?? 0) + 1;
    counts.set(named, count);
    return count === 1 ? named : `${count} · ${named}`;
  });
}

const agentOf = ({ agentName }: TabState): string => agentName;
const folderOf = ({ folder = "" }: TabState): string => folder;
