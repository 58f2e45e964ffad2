import type { DecidingRule, PermissionDecision } from '../../machines/permission/permission.events.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Grant } from './grant.ts';
import type { PathPattern } from './path-pattern.ts';
import { FOR_PEOPLE } from './permission-request.ts';
import { type PermissionRule, parseToolPattern, type ToolPattern } from './permission-rule.ts';
import { isCovered, mayFit } from './rule-fit.ts';
import { type Place, type RealPath, type Roots, readToolCall, type ToolCall } from './tool-call.ts';

export interface RuleBookOptions {
  readonly session: readonly PermissionRule[];
  readonly supervisor: readonly PermissionRule[];
  readonly roots: Roots;
  readonly realPath: RealPath;
  /** Grants kept; the oldest goes first (P9). */
  readonly maxGrants: number;
}

interface StandingRule {
  readonly rule: DecidingRule;
  readonly pattern: ToolPattern;
}

/** A call that was allowed for the rest of the session, just as it was. */
interface GrantedCall {
  readonly rule: DecidingRule;
  readonly toolName: string;
  readonly key: string;
}

export interface Ruling {
  readonly behavior: 'allow' | 'deny' | 'ask';
  readonly rule: DecidingRule;
}

/**
 * The standing decisions of a session: its own rules, those of its supervisor, and what was granted on the way. It lives as
 * long as the session, over every restart.
 */
export class RuleBook {
  readonly #standing: readonly StandingRule[];
  readonly #options: RuleBookOptions;
  #granted: readonly (StandingRule | GrantedCall)[] = [];

  constructor(options: RuleBookOptions) {
    this.#options = options;
    this.#standing = [
      ...options.session.map((rule) => standing(rule, 'session')),
      ...options.supervisor.map((rule) => standing(rule, 'supervisor')),
    ];
  }

  /** True when some rule has to see also those calls that the CLI would run without a question. */
  get guards(): boolean {
    return this.#standing.some(({ rule }) => rule.behavior !== 'allow');
  }

  /** Nothing was ever said: there is nothing to judge by. */
  get isEmpty(): boolean {
    return this.#standing.length === 0 && this.#granted.length === 0;
  }

  /** Deny before ask before allow, whatever the order of the rules; undefined when none of them fits. */
  async judge(
    toolName: string,
    input: Readonly<Record<string, unknown>>,
    requiresUserInteraction: boolean,
  ): Promise<Ruling | undefined> {
    if (this.isEmpty) return undefined;
    const isForPeople = requiresUserInteraction || FOR_PEOPLE.has(toolName);
    // No rule says yes for a person, and a pattern that happens to fit says nothing at all: only its own name does.
    const rules = this.#standing.filter(({ pattern }) => !isForPeople || pattern.isExact);
    const call = await readToolCall(toolName, input, this.#options.roots, this.#options.realPath);
    const places = await this.#placesOf(rules.map(({ pattern }) => pattern));
    const folderOf = (pattern: PathPattern): Place => places.get(pattern) ?? NOWHERE;
    const fits = (behavior: string, wanted: readonly string[]) =>
      rules.find(({ rule, pattern }) => rule.behavior === behavior && wanted.includes(mayFit(pattern, call, folderOf)))
        ?.rule;
    const denied = fits('deny', ['yes']);
    if (denied !== undefined) return { behavior: 'deny', rule: denied };
    // What may be forbidden and cannot be told from the call is a matter for whoever is asked.
    const asked = fits('ask', ['yes', 'perhaps']) ?? fits('deny', ['perhaps']);
    if (asked !== undefined) return { behavior: 'ask', rule: asked };
    if (isForPeople) return undefined;
    const allowed = [...rules, ...this.#granted].find(
      (one) => one.rule.behavior === 'allow' && this.#allows(one, call, folderOf),
    );
    return allowed === undefined ? undefined : { behavior: 'allow', rule: allowed.rule };
  }

  /** Allows what a person allowed for the session: the call as it was, and the rules that were offered for it. */
  grant(toolName: string, input: Readonly<Record<string, unknown>>, offered: readonly string[]): void {
    if (FOR_PEOPLE.has(toolName)) return;
    const rules = offered.flatMap((tool) => {
      const pattern = parseToolPattern(tool);
      return 'fault' in pattern ? [] : [{ pattern, rule: grantedRule(tool) }];
    });
    const call = { rule: grantedRule(toolName), toolName, key: callKey(toolName, input) };
    const fresh = [...rules, call].filter((one) => !this.#granted.some((known) => isSame(known, one)));
    this.#granted = [...this.#granted, ...fresh].slice(-this.#options.maxGrants);
  }

  /** What was granted on the way, as JSON: rules by their text, calls by their key. */
  grants(): Grant[] {
    return this.#granted.map((one) =>
      'key' in one ? { toolName: one.toolName, key: one.key } : { tool: one.rule.tool },
    );
  }

  /** Grants of the same session under another host; what is no rule of this release is left out, and asked about again. */
  restoreGrants(grants: readonly Grant[]): void {
    const restored = grants.flatMap((grant): (StandingRule | GrantedCall)[] => {
      if ('key' in grant) return [{ ...grant, rule: grantedRule(grant.toolName) }];
      const pattern = parseToolPattern(grant.tool);
      return 'fault' in pattern ? [] : [{ pattern, rule: grantedRule(grant.tool) }];
    });
    this.#granted = restored.slice(-this.#options.maxGrants);
  }

  #allows(one: StandingRule | GrantedCall, call: ToolCall, folderOf: (pattern: PathPattern) => Place): boolean {
    if ('key' in one) return one.toolName === call.toolName && one.key === callKey(call.toolName, call.input);
    return isCovered(one.pattern, call, folderOf);
  }

  /** Where the folders of all path patterns are, and where their links lead. */
  async #placesOf(patterns: readonly ToolPattern[]): Promise<ReadonlyMap<PathPattern, Place>> {
    const granted = this.#granted.flatMap((one) => ('pattern' in one ? [one.pattern] : []));
    const paths = [...patterns, ...granted].flatMap(({ argument }) =>
      argument?.kind === 'path' ? [argument.pattern] : [],
    );
    return new Map(
      await Promise.all(
        paths.map(async (pattern) => {
          const path = [this.#rootOf(pattern), ...pattern.folder].join('/') || '/';
          return [pattern, { path, realPath: await this.#options.realPath(path) }] as const;
        }),
      ),
    );
  }

  #rootOf({ anchor }: PathPattern): string {
    const { cwd, home } = this.#options.roots;
    if (anchor === 'root') return '';
    return anchor === 'home' ? home : cwd;
  }
}

/** What a ruling decides; undefined when it is that somebody has to be asked. */
export function decisionOf({ behavior, rule }: Ruling): PermissionDecision | undefined {
  if (behavior === 'ask') return undefined;
  return behavior === 'allow' ? { behavior } : { behavior, message: `The rule "${rule.tool}" forbids this.` };
}

const NOWHERE: Place = { path: '\0', realPath: '\0' };

function standing(rule: PermissionRule, source: 'session' | 'supervisor'): StandingRule {
  const pattern = parseToolPattern(rule.tool);
  // Rules are checked with the options that hold them.
  if ('fault' in pattern) throw new Error(`The rule "${rule.tool}" ${pattern.fault}.`);
  return { pattern, rule: { tool: rule.tool, behavior: rule.behavior, source } };
}

function grantedRule(tool: string): DecidingRule {
  return { tool, behavior: 'allow', source: 'granted' };
}

/** Two calls are the same when everything is but the words that describe a command. */
export function callKey(toolName: string, input: Readonly<Record<string, unknown>>): string {
  const { description: _description, ...rest } = input;
  return canonicalJson(toolName === 'Bash' ? rest : input);
}

function isSame(known: StandingRule | GrantedCall, one: StandingRule | GrantedCall): boolean {
  if ('key' in known || 'key' in one)
    return 'key' in known && 'key' in one && known.toolName === one.toolName && known.key === one.key;
  return known.rule.tool === one.rule.tool;
}
