"""A recipe that page and model edit together. The hooks are the adapter's: see src/features/shared-state.ts."""

from typing import List

import langroid as lr
from example_model import agent
from pydantic import BaseModel


class Ingredient(BaseModel):
    icon: str
    name: str
    amount: str


class Recipe(BaseModel):
    title: str
    skill_level: str
    cooking_time: str
    special_preferences: List[str] = []
    ingredients: List[Ingredient]
    instructions: List[str]
    changes: str = ""


class GenerateRecipe(lr.ToolMessage):
    request: str = "generate_recipe"
    purpose: str = "To replace the recipe that the user is working on by a better <recipe>."
    recipe: Recipe

    def handle(self) -> str:
        return "The recipe was updated."


def build(thread: str) -> lr.ChatAgent:
    built = agent("shared_state", "You improve the recipe of the user. Change it only with generate_recipe.")
    built.enable_message(GenerateRecipe)
    return built
