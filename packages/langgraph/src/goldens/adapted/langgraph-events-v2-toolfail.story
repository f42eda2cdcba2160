nested_root: graph starts
nested_root: warns parents-recovered
nested_root/root-model: model starts
nested_root/root-model: says "trying "
nested_root/root-model: calls fail {}
nested_root/root-model: ends tool_calls
nested_root/fail: tool starts {}
nested_root/fail: fails Error: tool exploded
nested_root: fails Error: tool exploded
