/// The version of all of Sealring: the one place that has it. Packages, `--version`, server info, user agents and pages take it from here.
package enum ProductVersion {
  /// Semantic version (semver.org), without a leading `v`; git tags are `v` and this text.
  package static let text = "0.2.0"
}
