nested_root: graph starts
nested_root/root-model: model starts
nested_root/root-model: says "let me look "
nested_root/root-model: calls search {"q":"cats"}
nested_root/root-model: calls task {"goal":"dig"}
nested_root/root-model: ends tool_calls
nested_root/search: tool starts {"q":"cats"}
nested_root/task: subagent starts {"goal":"dig"}
nested_root/search: updates {"text":"looking for cats"}
nested_root/search: updates {"text":"50%"}
nested_root/search: ends ok "result for cats"
nested_root/task/sub-model: model starts
nested_root/task/sub-model: says "sub agent answer here"
nested_root/task/sub-model: ends stop
nested_root/task: ends ok
nested_root/root-model: model starts
nested_root/root-model: says "final answer is forty two"
nested_root/root-model: ends stop
nested_root/research: subgraph starts
nested_root/research/deep: subgraph starts
nested_root/research/deep/deep-model: model starts
nested_root/research/deep/deep-model: says "deep thought"
nested_root/research/deep/deep-model: ends stop
nested_root/research/deep: ends ok
nested_root/research: ends ok
nested_root: ends ok
