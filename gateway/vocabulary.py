"""The closed words of the wire protocols: keys and values that are never personal and are not looked at."""

from __future__ import annotations

_KEYS = """
model messages message role content type text name input output instructions system stream stream_options include_usage
max_tokens max_completion_tokens max_output_tokens max_tool_calls temperature top_p top_k top_logprobs logprobs
frequency_penalty presence_penalty logit_bias seed stop stop_sequences n user metadata store tools tool tool_choice
tool_calls tool_call_id tool_use_id call_id parallel_tool_calls function functions function_call arguments parameters
strict description id index status object response_format json_schema schema format verbosity modalities audio voice
prediction reasoning reasoning_effort reasoning_content reasoning_details effort summary generate_summary thinking
budget_tokens signature redacted_thinking encrypted_content refusal annotations citations cache_control ttl source
media_type data url image_url detail file file_data file_id filename file_url title context include truncation
previous_response_id conversation prompt prompt_cache_key prompt_cache_retention safety_identifier service_tier
background dimensions encoding_format is_error input_schema properties required enum items additionalProperties
anyOf oneOf allOf not default const examples minimum maximum minLength maxLength minItems maxItems pattern nullable
$schema $defs $ref definitions title custom grammar syntax definition disable_parallel_tool_use search_context_size
web_search_options user_location approximate city region country timezone allowed_tools mode mcp_servers container
context_management edits trigger keep value output_config output_format logprob token bytes action queries query
server_label server_url require_approval display_width display_height environment command timeout_ms
max_uses allowed_domains blocked_domains allowed_callers input_audio include_obfuscation
"""

_WORDS = """
user assistant system developer tool function custom auto none any required enabled disabled adaptive summarized omitted
text input_text output_text summary_text reasoning_text refusal message function_call function_call_output
custom_tool_call custom_tool_call_output reasoning item_reference web_search_call file_search_call computer_call
computer_call_output tool_use tool_result server_tool_use thinking redacted_thinking json_schema json_object
object string number integer boolean array null image image_url input_image document file input_file input_audio
completed in_progress incomplete failed low medium high minimal xhigh none max concise detailed
ephemeral base64 url content float default flex priority scale standard standard_only
in-memory 24h 5m 1h disabled truncate
web_search web_search_preview file_search code_interpreter computer_use_preview mcp image_generation local_shell
bash text_editor grammar lark regex allowed_tools marin
"""

_PICTURES = """
image image_url input_image video document file input_file container_upload audio input_audio computer_screenshot
"""

_PROSE = """
content text instructions system input output refusal reasoning_content reasoning thinking prompt arguments
"""

KEYS = frozenset(_KEYS.split())
WORDS = frozenset(_WORDS.split())
PICTURES = frozenset(_PICTURES.split())
PROSE = frozenset(_PROSE.split())
NAMES = frozenset(("id", "tool_call_id", "tool_use_id", "call_id", "item_id", "previous_response_id"))
"""Strings that the providers want in letters, digits, - and _ only."""
