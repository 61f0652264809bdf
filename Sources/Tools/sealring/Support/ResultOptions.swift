import ArgumentParser
import StrictJSON

/// `--json` of commands that change something and have little to say about it.
struct ResultOptions: ParsableArguments {
  @Flag(help: "Print what was done as JSON.")
  var json = false

  /// Says what was done: one sentence on standard error, or one object on standard output.
  func done(_ sentence: String, _ object: JSONObject) {
    if json { Output.json(.object(object)) } else { Output.remark(sentence) }
  }
}
