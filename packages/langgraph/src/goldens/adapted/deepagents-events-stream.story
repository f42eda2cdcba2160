graph: graph starts
graph: warns model-calls-recovered
graph/model: model starts
graph/model: says "Planning. "
graph/model: calls write_todos {"todos":[{"content":"alpha","status":"in_progress"},{"content":"beta","status":"in_progress"}]}
graph/model: ends tool_calls
graph/write_todos: tool starts {"todos":[{"content":"alpha","status":"in_progress"},{"content":"beta","status":"in_progress"}]}
graph/write_todos: updates {"delta":{"todos":[{"content":"alpha","status":"in_progress"},{"content":"beta","status":"in_progress"}]}}
graph/write_todos: ends ok "Updated todo list to [{\"content\":\"alpha\",\"status\":\"in_progress\"},{\"content\":\"beta\",\"status\":\"in_progress\"}]"
graph/model: model starts
graph/model: calls task {"description":"SUB alpha","subagent_type":"researcher"}
graph/model: calls task {"description":"SUB beta","subagent_type":"researcher"}
graph/model: ends tool_calls
graph/task: subagent starts {"description":"SUB alpha","subagent_type":"researcher"}
graph/task: subagent starts {"description":"SUB beta","subagent_type":"researcher"}
graph/task/model: model starts
graph/task/model: says "alpha "
graph/task/model: model starts
graph/task/model: says "beta "
graph/task/model: says "is "
graph/task/model: says "is "
graph/task/model: says "searching "
graph/task/model: says "searching "
graph/task/model: says "now"
graph/task/model: calls internet_search {"q":"alpha"}
graph/task/model: ends tool_calls
graph/task/internet_search: tool starts {"q":"alpha"}
graph/task/model: says "now"
graph/task/model: calls internet_search {"q":"beta"}
graph/task/model: ends tool_calls
graph/task/internet_search: tool starts {"q":"beta"}
graph/task: updates {"data":{"progress":50,"q":"alpha"}}
graph/task: updates {"data":{"progress":50,"q":"beta"}}
graph/task/internet_search: ends ok "result for alpha"
graph/task/model: model starts
graph/task/model: calls write_file {"file_path":"/alpha.md","content":"from alpha"}
graph/task/model: ends tool_calls
graph/task/write_file: tool starts {"file_path":"/alpha.md","content":"from alpha"}
graph/task/write_file: updates {"delta":{"files":{"added":{"/alpha.md":"from alpha"}}}}
graph/task/write_file: ends ok "Successfully wrote to '/alpha.md'"
graph/task/internet_search: ends ok "result for beta"
graph/task/model: model starts
graph/task/model: calls write_file {"file_path":"/beta.md","content":"from beta"}
graph/task/model: ends tool_calls
graph/task/write_file: tool starts {"file_path":"/beta.md","content":"from beta"}
graph/task/write_file: updates {"delta":{"files":{"added":{"/beta.md":"from beta"}}}}
graph/task/write_file: ends ok "Successfully wrote to '/beta.md'"
graph/task/model: model starts
graph/task/model: says "report "
graph/task/model: model starts
graph/task/model: says "report "
graph/task/model: says "of "
graph/task/model: says "of "
graph/task/model: says "alpha "
graph/task/model: says "beta "
graph/task/model: says "done"
graph/task/model: ends stop
graph/task: ends ok
graph/task/model: says "done"
graph/task/model: ends stop
graph/task: ends ok
graph/model: model starts
graph/model: says "Final answer based on alpha and beta."
graph/model: ends stop
graph: ends ok
