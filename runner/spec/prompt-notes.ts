import type { Note } from './source-text.ts';
import { didYouMean, listed, nearest } from './suggest.ts';

/** What a prompt can call. Columns of these names are written `{{this.json}}`. */
export const HELPERS = ['if', 'unless', 'each', 'with', 'json'] as const;

/** Parts of Handlebars that prompts do without, each with what to write instead. */
export const REFUSED = {
  literal: {
    code: 'not-a-column',
    message: 'A text or number stands where a column was expected.',
    hint: 'A column with blanks in its name is written {{[first name]}}; `{{` itself is written \\{{.',
  },
  nested: {
    code: 'nested-helper',
    message: 'Helpers cannot be called inside others.',
    hint: 'Compute the value in `input.sql` and use its column here.',
  },
  option: {
    code: 'unknown-option',
    message: '#if and #unless know one option, `includeZero=true`.',
  },
  partialBlock: {
    code: 'not-supported',
    message: 'Partial blocks ({{#> name}}) are not used in prompts.',
    hint: 'Write {{> name}} and give it values: {{> name tone="calm"}}.',
  },
  decorator: {
    code: 'not-supported',
    message: 'Decorators ({{* name}}) and inline partials are not used in prompts.',
    hint: 'Put the text into a file under prompts/partials/ and write {{> name}}.',
  },
} as const satisfies Record<string, Note>;

export function notHelper(name: string): Note {
  const near = nearest(name, HELPERS);
  return {
    code: 'unknown-helper',
    message: `\`${name}\` is not a helper; prompts have ${listed(HELPERS)}.`,
    hint:
      near === null
        ? 'Compute the value in `input.sql` and use its column here.'
        : `Did you mean \`${near}\`?`,
  };
}

export function onlyAsBlock(name: string): Note {
  return {
    code: 'wrong-call',
    message: `\`${name}\` opens a block.`,
    hint: `Write {{#${name} column}} … {{/${name}}}, or {{this.${name}}} for a column of that name.`,
  };
}

/** `{{#column}}`, `{{^column}}`, `{{{{raw}}}}` and misspelt block helpers. */
export function notBlock(block: hbs.AST.BlockStatement): Note {
  const name = block.path.original;
  const near = nearest(name, ['if', 'unless', 'each', 'with']);
  const instead = near === null ? `Write {{#if ${name}}} or {{#each ${name}}}.` : didYouMean(name, HELPERS);
  return {
    code: 'unknown-helper',
    message: `\`${name}\` opens no block; blocks are \`if\`, \`unless\`, \`each\` and \`with\`.`,
    hint: instead,
  };
}

export function oneParam(name: string): Note {
  const call = name === 'json' ? '{{json column}}' : `{{#${name} column}}`;
  return {
    code: 'wrong-call',
    message: `\`${name}\` takes exactly one value.`,
    hint: `Write ${call}, or {{this.${name}}} for a column of that name.`,
  };
}

export function unknownPartial(name: string, known: readonly string[]): Note {
  return {
    code: 'unknown-partial',
    message: `There is no partial \`${name}\`: prompts/partials/${name}.hbs was looked for.`,
    hint: didYouMean(name, known) ?? (known.length === 0 ? undefined : `There are ${listed(known)}.`),
  };
}

export function recursion(names: readonly string[]): Note {
  return {
    code: 'recursive-partial',
    message: `A partial includes itself: ${names.join(' → ')}.`,
    hint: 'Prompts have no recursion; send a nested value with {{json column}}.',
  };
}
