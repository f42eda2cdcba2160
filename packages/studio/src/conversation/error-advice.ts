const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /recursion.?limit|GRAPH_RECURSION/i,
    'The agent used up its steps. Raise recursion_limit for the run, or narrow the question.',
  ],
  [
    /429|rate.?limit|too many requests|quota/i,
    'The model provider asks to slow down. Wait a little and send the message again.',
  ],
  [
    /401|403|api.?key|unauthori[sz]ed|forbidden/i,
    'The provider refused the credentials. Check the API key that the server was started with.',
  ],
  [
    /ECONNREFUSED|ENOTFOUND|fetch failed|network/i,
    'The model or service could not be reached. Check that it runs and that its address is right.',
  ],
  [
    /context.?length|maximum context|too many tokens/i,
    'The conversation no longer fits the model. Start a new thread or fork from an earlier message.',
  ],
  [
    /deadline|timed? ?out/i,
    'It took longer than allowed. Give the run a longer deadline, or a smaller task.',
  ],
  [/budget/i, 'The budget of this run is used up. Give it more, or a smaller task.'],
]

/** What a person can do about an error. */
export function errorAdvice(error: { readonly class: string; readonly message: string }): string {
  const text = `${error.class} ${error.message}`
  return (
    ADVICE.find(([pattern]) => pattern.test(text))?.[1] ??
    'Send the message again, or edit an earlier one and run from there. The stack says where it happened.'
  )
}
