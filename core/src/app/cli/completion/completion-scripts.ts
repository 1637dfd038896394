import { shellWord } from "../../../base/shell-word.js";
import { allNodes, type CommandNode, nextWords, valuedOptions } from "./command-tree.js";

const program = "symposium-acp-agent";

export const completionScripts: Readonly<Record<string, (root: CommandNode) => string>> = {
  bash: (
    root,
  ) => `# bash completion for ${program}: source this, or put it into ~/.local/share/bash-completion/completions/${program}
_symposium_acp_agent() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at= index words= valued=
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$at/\${COMP_WORDS[index]}" in
      ${paths(root).join("|")}) at="$at/\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$at" in
${cases(root, (node) => `words=${shellWord(wordsOf(node))} valued=${shellWord(` ${valuedOptions(node).join(" ")} `)}`)}
  esac
  COMPREPLY=()
  if [[ "$valued" == *" $previous "* ]]; then
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F _symposium_acp_agent ${program}
`,
  zsh: (root) => `#compdef ${program}
# zsh completion for ${program}: put this as _${program} into a folder of $fpath, or source it after compinit.
_symposium_acp_agent() {
  local at= word valued=
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at/$word" in
      ${paths(root).join("|")}) at="$at/$word" ;;
    esac
  done
  case "$at" in
${cases(root, (node) => `valued=${shellWord(` ${valuedOptions(node).join(" ")} `)} entries=(${described(node)})`)}
  esac
  if [[ "$valued" == *" \${words[CURRENT-1]} "* ]]; then _files; return; fi
  _describe -o '${program}' entries || _files
}
case "\${funcstack[1]}" in
  _symposium_acp_agent|_${program}) _symposium_acp_agent ;;
  *) compdef _symposium_acp_agent ${program} ;;
esac
`,
  fish: (root) => `# fish completion for ${program}: put this into ~/.config/fish/completions/${program}.fish
function __symposium_acp_agent_at
  set -l at ""
  set -l words (commandline -opc)
  for word in $words[2..]
    switch "$at/$word"
      case ${paths(root).join(" ")}
        set at "$at/$word"
    end
  end
  test "$at" = "$argv[1]"
end
${allNodes(root).flatMap(fishLines).join("\n")}
`,
  powershell: (root) => `# PowerShell completion for ${program}: add this to $PROFILE.
Register-ArgumentCompleter -Native -CommandName ${program} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @{
${allNodes(root)
  .map((node) => `    ${powershellWord(pathOf(node))} = @(${nextWords(node).map(powershellPair).join(", ")})`)
  .join("\n")}
  }
  $at = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    if ($element.Extent.EndOffset -ge $cursorPosition) { break }
    if ($words.ContainsKey("$at/$element")) { $at = "$at/$element" }
  }
  foreach ($pair in $words[$at]) {
    if ($pair[0].StartsWith($wordToComplete)) {
      [System.Management.Automation.CompletionResult]::new($pair[0], $pair[0], 'ParameterValue', $pair[1])
    }
  }
}
`,
};

/** Returns the command's path, such as `/registry/list`; empty for the program itself. */
function pathOf({ words }: CommandNode): string {
  return words.map((word) => `/${word}`).join("");
}

function paths(root: CommandNode): readonly string[] {
  return allNodes(root).map(pathOf).slice(1);
}

function cases(root: CommandNode, then: (node: CommandNode) => string): string {
  return allNodes(root)
    .map((node) => `    '${pathOf(node)}') ${then(node)} ;;`)
    .join("\n");
}

function wordsOf(node: CommandNode): string {
  return nextWords(node)
    .map(([word]) => word)
    .join(" ");
}

/** Escapes colons in words, because `_describe` splits word and description at the first colon. */
function described(node: CommandNode): string {
  return nextWords(node)
    .map(([word, about]) => shellWord(`${word.replaceAll(":", "\\:")}:${about}`))
    .join(" ");
}

function fishLines(node: CommandNode): readonly string[] {
  const start = `complete -c ${program} -n "__symposium_acp_agent_at '${pathOf(node)}'"`;
  const isValued = new Set(valuedOptions(node));
  return nextWords(node).map(([word, about]) => {
    const text = `-d '${about.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
    if (!word.startsWith("--")) return `${start} -f -a ${word} ${text}`;
    return `${start} -l ${word.slice(2)} ${isValued.has(word) ? "-r " : "-f "}${text}`;
  });
}

function powershellPair([word, about]: readonly [string, string]): string {
  return `@(${powershellWord(word)}, ${powershellWord(about)})`;
}

function powershellWord(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
