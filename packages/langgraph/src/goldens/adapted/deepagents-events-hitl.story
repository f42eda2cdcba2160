graph: graph starts
graph: warns model-calls-recovered
graph/model: model starts
graph/model: calls task {"description":"SUB alpha","subagent_type":"ops"}
graph/model: calls task {"description":"SUB beta","subagent_type":"ops"}
graph/model: ends tool_calls
graph/task: subagent starts {"description":"SUB alpha","subagent_type":"ops"}
graph/task: subagent starts {"description":"SUB beta","subagent_type":"ops"}
graph/task/model: model starts
graph/task/model: says "alpha "
graph/task/model: model starts
graph/task/model: says "beta "
graph/task/model: says "looking"
graph/task/model: says "looking"
graph/task/model: calls look {"q":"alpha"}
graph/task/model: calls look {"q":"beta"}
graph/task/model: ends tool_calls
graph/task/model: ends tool_calls
graph/task/look: tool starts {"q":"alpha"}
graph/task/look: tool starts {"q":"beta"}
graph/task/look: ends ok "saw alpha"
graph/task/look: ends ok "saw beta"
graph/task/model: model starts
graph/task/model: says "needs "
graph/task/model: model starts
graph/task/model: says "report "
graph/task/model: says "deploy"
graph/task/model: says "beta"
graph/task/model: calls deploy {"env":"alpha"}
graph/task/model: ends stop
graph/task/model: ends tool_calls
graph/task: ends ok
graph/task: asks {"actionRequests":[{"name":"deploy","args":{"env":"alpha"},"description":"Tool execution requires approval\n\nTool: deploy\nArgs: {\n  \"env\": \"alpha\"\n}"}],"reviewConfigs":[{"actionName":"deploy","allowedDecisions":["approve","edit","reject"]}]}
graph: goes on
graph: updates {"data":{"cached":true,"update":{"tools":{"files":{},"messages":[{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"report beta","tool_call_id":"call_task_B","name":"task","additional_kwargs":{},"response_metadata":{}}}]}}}} (replay)
graph/task: goes on
graph/task/deploy: tool starts {"env":"alpha"}
graph/task/deploy: ends ok "deployed alpha"
graph/task/model: model starts
graph/task/model: says "report of alpha"
graph/task/model: ends stop
graph/task: ends ok
graph/model: model starts
graph/model: says "Final."
graph/model: ends stop
graph: ends ok
