nested_root: graph starts
nested_root: warns parents-recovered
nested_root/research: subgraph starts
nested_root/research: ends ok
nested_root: ends ok
