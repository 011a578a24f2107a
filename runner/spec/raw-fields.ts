/**
 * Fields of a request body that the job decides elsewhere: in `model.raw` they would change what is asked, how often
 * it is answered or what it may cost, behind the back of estimate, canary and checks.
 */
export const RESERVED_RAW: Readonly<Record<string, string>> = {
  model: 'Name the model in `model.name`.',
  input: 'The prompt stands in `prompt`.',
  messages: 'The prompt stands in `prompt`.',
  instructions: 'The system prompt stands in `prompt`.',
  stream: 'A batch cannot stream.',
  background: 'A batch runs in the background as it is.',
  n: 'One answer a row; several would break the cost ceiling.',
  max_tokens: 'Write `output.max_tokens`.',
  max_output_tokens: 'Write `output.max_tokens`.',
  max_completion_tokens: 'Write `output.max_tokens`.',
  response_format: 'Write `output.schema`.',
};
