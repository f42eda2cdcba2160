graph: graph starts
graph: warns model-calls-recovered
graph/root-model: model starts
graph/root-model: says "let me look "
graph/root-model: calls search {"q":"cats"}
graph/root-model: calls task {"goal":"dig"}
graph/root-model: ends tool_calls
graph/search: tool starts {"q":"cats"}
graph/task: subagent starts {"goal":"dig"}
graph: updates {"data":{"progress":"task begun"}}
graph/search: updates {"text":"looking for cats"}
graph/search: updates {"text":"50%"}
graph/search: ends ok "result for cats"
graph/task/sub-model: model starts
graph/task/sub-model: says "sub agent answer here"
graph/task/sub-model: ends stop
graph/task: ends ok
graph/root-model: model starts
graph/root-model: says "final answer is forty two"
graph/root-model: ends stop
graph/research: subgraph starts
graph/research: updates {"data":{"progress":"planning"}}
graph/research: updates {"delta":{"state":{"notes":["planned"]}}}
graph/research/deep: subgraph starts
graph/research/deep/deep-model: model starts
graph/research/deep/deep-model: says "deep thought"
graph/research/deep/deep-model: ends stop
graph/research/deep: updates {"delta":{"state":{"notes":["planned","deep"]}}}
graph/research/deep: ends ok
graph/research: updates {"delta":{"state":{"notes":["planned","planned","deep"]}}}
graph/research: asks {"question":"ok?"}
