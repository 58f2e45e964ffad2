export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/*
 * Each asks `troupe complete` what may stand at the cursor: a line for each word, its description behind a tabulator, and a last line that
 * begins with a colon. What was typed is handed on as it is, and never evaluated.
 */
const BASH = `# Completion of troupe for bash: source <(troupe completion bash)
_troupe() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    case $line in
      :* | '') ;;
      "\${COMP_WORDS[COMP_CWORD]}"*) COMPREPLY+=("$line") ;;
    esac
  done < <(command troupe complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _troupe troupe
`;

const ZSH = `#compdef troupe
# Completion of troupe for zsh: source <(troupe completion zsh), behind compinit
_troupe() {
  local line
  local -a found
  while IFS= read -r line; do
    [[ -z $line || $line == :* ]] && continue
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(command troupe complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe troupe found; else _files; fi
}
compdef _troupe troupe
`;

const FISH = `# Completion of troupe for fish: troupe completion fish | source
function __troupe_complete
  set -l words (commandline -opc)
  set -e words[1]
  command troupe complete -- $words (commandline -ct) 2>/dev/null | string match -v ':*'
end
complete -c troupe -a '(__troupe_complete)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
