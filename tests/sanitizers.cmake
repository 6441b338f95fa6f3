# The sanitizers watch the libraries and the program, and all that they are handed: tests, compiled once,
# run again with those of the preset asan or tsan in place of this build's, by ctest -C asan -L asan and
# ctest -C tsan -L tsan. NO_SANITIZER are tests with an allocator of their own, and of which instruction sets
# this build holds.
foreach(sanitizer asan tsan)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${sanitizer}.so
    OUTPUT_VARIABLE papilio_${sanitizer}_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
endforeach()

# Cases that a sanitizer leaves out, as gtest's patterns. The rule: the address sanitizer sees each path
# once, the thread sanitizer each place that starts threads once. A case is left out if it takes seconds and
# repeats, at other sizes, types or machines, what shorter cases run, or if it models the published tables,
# times other programs or reads texts. All others run, also those that are new.
set(papilio_asan_leaves_out
  # papilio_test_cli, papilio_test_batch
  *.memory_does_not_grow_with_the_length address_space.every_verb_ends help.every_* help.lines_fit_a_page own_files.*
  plan_sides.every_operation_has_an_expression plan_verb.measures_every_kind
  pictures.presets_set_what_flags_do_not presets.levels_are_cut_below_the_highest
  profile_verb.every_kernel_runs published_verb.another_runtime_and_machine
  published_verb.brief_fits_eighty_columns published_verb.its_json_is_consistent published_verb.measures_only_when_asked
  report_verb.beyond_800_files_each_takes_40_kib_at_most report_verb.the_more_files_the_less_of_each
  spectrogram_verb.segments_follow_the_rate_unless_they_are_chosen standard_input.foreign_formats_are_decoded_by_ffmpeg
  time_and_level.a_segment_is_shown_at_its_centre time_and_level.levels_are_right_at_every_scale
  time_and_level.side_lobes_are_no_tones time_and_level.what_was_removed_is_no_tone
  work_ahead.files_of_a_batch_share_their_memory work_ahead.minutes_are_announced
  batch_kill.* batch_resume.resume_knows_outputs_of_other_kinds batch_verb.bad_usage_names_the_flag
  batch_verb.memory_does_not_grow_with_length_or_number batch_verb.outputs_are_those_of_the_verbs
  # papilio_test_kernels
  butterfly_fft.errors_are_those_of_the_model butterfly_fft.longer_ones butterfly_fft.tables_that_do_not_fit_pass_by
  complex_gemm.long_sums_are_made_in_parts complex_gemm.values_on_machines_of_other_designs
  contraction.long_axes_over_the_lanes contraction.parts_of_operands_have_the_stated_error
  contraction.products_in_blocks_of_a_small_memory contraction.results_stay_for_the_next_product
  golden.profiles_are_those_that_were_reviewed */mp2_energy_homes.give_the_same_energies/2
  */mp2_energy_homes.give_the_same_energies/3
  mp2_energy.large_energies_are_bound_by_the_tensor_engine published_profile.*
  # papilio_test_blas_kernels, papilio_test_published_kernels, papilio_test_published_fft
  symm.values_where_memory_is_small trsm.columns_in_several_passes trsm.small_memories
  published_table.counts_launches_and_copies published_table.every_row_of_the_device_is_modelled
  published_table.fastest_host_row published_table.fused_mp2_misses_no_more_than_is_documented
  published_table.host_terms_are_apart published_table.one_runtime_for_all_rows
  published_table.residuals_are_no_larger_than_documented
  # papilio_test_transform_values, papilio_test_real_kernels
  complex_values.lines_by_their_digits complex_values.columns real_values.chirps real_values.columns
  real_values.long_lines real_values.two_sweeps
  real_fft.half_the_time thresholds.*
  # papilio_test_fft_sizes, papilio_test_device_fft, papilio_test_precision
  bluestein_cases.trnfft_152_8193_no_worse_than_fast fft_sizes.lines_by_their_parts
  fft_sizes.long_columns_with_matrices_for_each_row fft_design.blocks_fit
  precision.measured_errors_are_those_expected precision.of_real_transforms_is_that_expected
  # papilio_test_stft_kernels, papilio_test_stft_precision
  istft.adjoint_of_the_forward_transform istft.segments_that_do_not_fit
  stft_and_host.agree_on_long_segments_of_which_there_are_many
  stft_precision.measured_errors_are_those_expected stft_precision.on_chips_with_less_room
  # papilio_test_device_groups, papilio_test_group_execution, papilio_test_contract_device, papilio_test_ao_to_mo
  large_fft.long_lines sharded_contraction.many_cores_pay sharded_mp2.many_cores_pay
  split_fft.has_the_bits_of_one_core
  group_execution.precision_is_of_all_cores
  group_execution.segments_of_every_padding_have_the_bits_of_one_core
  ao_to_mo.values_where_little_fits
  # papilio_test_decompose, papilio_test_decompose_steps, papilio_test_contract_einsum, papilio_test_contract_networks
  cp/0.exact_ranks_are_found device_decompositions.automatic_takes_the_faster_side
  tucker/1.the_error_is_at_most_the_tolerance_and_is_told_truly partial_products.of_large_arrays_are_the_same
  random_einsum/0.* random_einsum/1.* path_networks.regular_graphs path_networks.trees_with_loops
  device_plans.orders_by_modelled_seconds_are_never_slower device_einsum/0.is_the_sum_of_products
  PairStep/0.LargeOnesDoNotDependOnThreads PairStep/1.LargeOnesDoNotDependOnThreads
  PairStep/2.LargeOnesDoNotDependOnThreads
  # papilio_test_fft, papilio_test_fft_arrays, papilio_test_fft_fftw, papilio_test_signal
  streamed_line.the_bits_are_those_of_any_other_store
  dct_plan_test/1.every_kind_and_norm_is_the_direct_sum fftn_plan_test/0.blocks_and_threads_do_not_change_the_bits
  rfftn_plan_test/0.blocks_and_threads_do_not_change_the_bits fftw_oracle/0.cosine_and_sine_transforms
  stft_stream.of_many_channels_and_long_blocks
  # the others
  find_path.few_operands_with_thousands_of_kinds_of_labels comparisons.estimates_of_parts_are_within_two_percent
  device_product/0.is_the_hosts kept_operations.decisions_go_by_the_bytes_of_their_keys
  by_ffmpeg.its_crash_has_a_reason by_ffmpeg.the_samples_are_its_own
  engine_bits.of_a_product_are_those_of_scalar_arithmetic gemm_threads.the_same_bits_with_all_kernels
  layering.* type_names.* spectrogram_axes.awkward_ranges_stay_inside
  spectrogram_scale.labels_never_touch_whatever_the_range)
set(papilio_tsan_leaves_out
  # papilio_test_batch
  batch_kill.* batch_resume.a_ledger_* batch_resume.resume_knows_outputs_of_other_kinds
  batch_verb.an_output_folder_inside_is_not_walked batch_verb.bad_usage_names_the_flag
  batch_verb.folders_that_are_none batch_verb.includes_and_folders
  batch_verb.links_among_the_outputs_are_not_followed batch_verb.memory_does_not_grow_with_length_or_number
  batch_verb.odd_names batch_verb.outputs_are_those_of_the_verbs
  batch_verb.spectra_and_densities_are_those_of_the_verbs batch_verb.the_summary_names_every_failure
  batch_verb.warnings_name_their_file
  # papilio_test_stft_kernels, papilio_test_transform_values, papilio_test_ao_to_mo
  istft.adjoint_of_* istft.on_a_chip_with_less_room istft.points_that_the_vector_engine_transposes
  istft.segments_that_do_not_fit istft.stretches_of_several_hops
  spectrum_form.any_room_for_buffers spectrum_form.segments_that_do_not_fit
  stft.points_that_segments_share stft_and_host.agree_on_long_segments_of_which_there_are_many
  complex_values.chirps complex_values.columns complex_values.lines_by_their_digits complex_values.own_digits
  complex_values.random_extents complex_values.several_axes complex_values.short_lines real_values.* values_on_trainium2.*
  ao_to_mo.is_near_its_floor ao_to_mo.values_where_little_fits
  # papilio_test_device_groups, papilio_test_group_execution
  group_times.* large_fft.is_the_dft_for_any_number_of_cores large_fft.long_lines sharded_contraction.many_cores_pay
  sharded_mp2.energies_are_those_of_one_core sharded_mp2.many_cores_pay split_fft.has_the_bits_of_one_core
  group_execution.lines_have_the_bits_of_one_core group_execution.one_array_by_all_cores
  group_execution.precision_is_of_all_cores group_execution.real_lines_and_back
  group_execution.segments_of_every_padding_have_the_bits_of_one_core
  # papilio_test_decompose, papilio_test_decompose_steps, papilio_test_chem
  cp/*.exact_ranks_are_found device_decompositions.* device_tucker.is_as_good_as_the_hosts
  device_tucker.tolerances_are_met tucker/*.the_error_is_at_most_the_tolerance_and_is_told_truly
  tucker/*.tolerances_give_cores_that_fit_their_factors
  device_products.are_those_of_the_definition
  df_mp2_of/*.many_virtual_orbitals_are_cut_into_tiles mp2_gradient.closed_shells_on_an_accelerator
  # papilio_test_fft_arrays, papilio_test_signal
  dct_plan_test/*.every_kind_and_norm_is_the_direct_sum fftn_plan_test/0.blocks_and_threads_do_not_change_the_bits
  real_forms/*.windowed_spectra_are_those_of_the_products rfftn_plan_test/0.blocks_and_threads_do_not_change_the_bits
  peaks.any_window pooled_spectrogram.long_columns_lose_nothing stft.zeros_after_the_end
  stft_stream.of_many_channels_and_long_blocks
  # papilio_test_contract_einsum, papilio_test_contract_pair, papilio_test_blas_threads, papilio_test_engine_bits
  random_einsum/0.* random_einsum/1.* random_einsum/2.* PairStep/0.LargeOnesDoNotDependOnThreads
  PairStep/1.LargeOnesDoNotDependOnThreads PairStep/2.LargeOnesDoNotDependOnThreads
  PairStep/*.EveryChoiceOfCopiesAsTheDefinition
  gemm_threads.the_same_bits_with_all_kernels engine_bits.of_a_product_are_those_of_scalar_arithmetic)

# What is left out must be there: a case that got another name would run, for minutes. Typed suites have
# numbers, and instances names, which the sources do not tell.
file(GLOB_RECURSE sources ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
execute_process(COMMAND cat ${sources} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "TEST(_[FP])?\\([A-Za-z0-9_]+,[ \n]*[A-Za-z0-9_]+\\)" cases "${text}")
string(REGEX REPLACE "TEST(_[FP])?\\(([A-Za-z0-9_]+),[ \n]*([A-Za-z0-9_]+)\\)" " \\2.\\3 " cases "${cases}")
foreach(pattern IN LISTS papilio_asan_leaves_out papilio_tsan_leaves_out)
  string(REGEX REPLACE "^\\*/|/[a-z0-9_*]+$" "" name ${pattern})
  string(REGEX REPLACE "/[0-9*]\\." "." name ${name})
  string(REPLACE "." "\\." name ${name})
  string(REPLACE "*" "[A-Za-z0-9_]*" name ${name})
  if(NOT cases MATCHES " ${name} ")
    message(FATAL_ERROR "tests/sanitizers.cmake leaves out ${pattern}, which no test has")
  endif()
endforeach()

# papilio_add_sanitized_test(PRESET PROGRAM): to start an instrumented process takes longer than most cases,
# so a test is a share of a program's cases.
function(papilio_add_sanitized_test preset program)
  set(folder ${PROJECT_BINARY_DIR}/../${preset})
  list(JOIN papilio_${preset}_leaves_out ":" leaves_out)
  foreach(share RANGE 3)
    set(test ${preset}.${program}.${share})
    add_test(NAME ${test} COMMAND ${program} CONFIGURATIONS ${preset})
    set_tests_properties(${test} PROPERTIES LABELS ${preset}
      ENVIRONMENT "${papilio_test_environment};LD_PRELOAD=${papilio_${preset}_runtime};LD_LIBRARY_PATH=${folder}/src;PAPILIO_PROGRAM=${folder}/src/cli/papilio;GTEST_FILTER=-${leaves_out};GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${share}")
  endforeach()
endfunction()
